import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { createLogger, createTaskGroup, type TaskGroup } from '@panel/kit/process';
import { expect } from 'chai';
import type { FileOperation } from '../../src/domain/file-operation.js';
import type { FileOperationStore } from '../../src/models/file-operation-store.js';
import { FileOperations } from '../../src/operations/file-operations.js';
import { reasonOf } from '../harness.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('file operations', () => {
  const serverId = randomUUID();
  let tasks: TaskGroup;
  beforeEach(() => {
    tasks = createTaskGroup(log);
  });
  afterEach(async () => tasks.stop());

  /** Fails the first `failures` final updates. */
  const createOperations = (failures: number) => {
    const records = new Map<string, FileOperation>();
    let remaining = failures;
    const store: FileOperationStore = {
      insert: async (operation) => {
        records.set(operation.id, operation);
        return true;
      },
      find: async (_serverId, id) => records.get(id) ?? null,
      list: async () => [...records.values()],
      update: async (id, change) => {
        if (change.state !== undefined && remaining > 0) {
          remaining -= 1;
          throw new Error('the database is unavailable');
        }
        const record = records.get(id);
        if (record) records.set(id, { ...record, ...change });
      },
      failInterrupted: async () => undefined,
      deleteServer: async () => undefined,
    };
    const operations = new FileOperations({ store, tasks, clock: () => new Date(), nodeId: randomUUID(), log });
    return { operations, records };
  };

  it('begins an archive while pulls take all their places on the node', async () => {
    const { operations } = createOperations(0);
    const stopped = new Promise<void>((resolve) => tasks.signal.addEventListener('abort', () => resolve()));
    const pull = async (ofServer: string) =>
      operations.start({ serverId: ofServer, kind: 'pull', run: async () => stopped }, 1);
    for (let i = 0; i < 16; i += 1) await pull(randomUUID());
    expect(await reasonOf(pull(serverId))).to.equal('OPERATION_LIMIT');
    const packed = await operations.start({ serverId, kind: 'compress', run: async () => undefined }, 30_000);
    expect(packed.state).to.equal('completed');
  });

  it('leaves places of the node to others while the servers of one owner run all of theirs', async () => {
    const { operations } = createOperations(0);
    const stopped = new Promise<void>((resolve) => tasks.signal.addEventListener('abort', () => resolve()));
    const pull = async (ownerId: string) =>
      operations.start({ serverId: randomUUID(), ownerId, kind: 'pull', run: async () => stopped }, 1);
    const [owner, other] = [randomUUID(), randomUUID()];
    const outcomes = await Promise.all(Array.from({ length: 8 }, async () => reasonOf(pull(owner))));
    expect(outcomes.filter((reason) => reason !== 'OPERATION_LIMIT')).to.have.length(4);
    expect(await reasonOf(pull(other))).not.to.equal('OPERATION_LIMIT');
  });

  it('shows a cancelled operation as running that does not end within some seconds', async function () {
    this.timeout(20_000);
    const { operations } = createOperations(0);
    const deaf = new Promise<void>((resolve) => tasks.signal.addEventListener('abort', () => resolve()));
    const { id } = await operations.start({ serverId, kind: 'pull', run: async () => deaf }, 1);
    expect((await operations.cancel(serverId, id)).state).to.equal('running');
  });

  it('records the end of a completed operation as soon as the database is back', async () => {
    const { operations } = createOperations(1);
    const ended = await operations.start({ serverId, kind: 'pull', run: async () => undefined }, 30_000);
    expect(ended.state).to.equal('completed');
  });

  it('records the failure of an operation as soon as the database is back', async () => {
    const { operations, records } = createOperations(1);
    const run = async () => {
      throw new AppError('failed_precondition', 'DISK_LIMIT', 'full');
    };
    expect(await reasonOf(operations.start({ serverId, kind: 'pull', run }, 30_000))).to.equal('DISK_LIMIT');
    expect([...records.values()][0]).to.include({ state: 'failed', errorReason: 'DISK_LIMIT' });
  });

  it('leaves an operation to the next process when it stops meanwhile', async () => {
    const { operations, records } = createOperations(Infinity);
    await operations.start({ serverId, kind: 'pull', run: async () => undefined }, 100);
    await tasks.stop();
    expect([...records.values()][0]?.state).to.equal('running');
  });
});
