import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { KeyedMutex, pause } from '@panel/kit/async';
import { createLogger, createTaskGroup } from '@panel/kit/process';
import { TurnQueue } from '@panel/kit/threads';
import { expect } from 'chai';
import type { BackupSource, StoredBackup } from '../../../src/backups/storage/backup-storage.js';
import { openTrusted, withHandle } from '../../../src/jail/node.js';
import { TempNames } from '../../../src/jail/temp-names.js';
import type { BackupDeps } from '../../../src/backups/backup-deps.js';
import { startBackup } from '../../../src/usecases/backups/run-backup.js';
import { SharedRuns } from '../../../src/backups/shared-runs.js';
import { createTempDir, type TempDir } from '../../temp-dir.js';

const idleMs = 200;

describe('a backup whose storage hangs', () => {
  let directory: TempDir;
  beforeEach(async () => (directory = await createTempDir()));
  afterEach(async () => directory.remove());

  /** A pending backup, made by `create`; returns its records. */
  async function run(create: (source: BackupSource) => Promise<StoredBackup>): Promise<string[]> {
    const id = randomUUID();
    const serverId = randomUUID();
    const backup = { id, serverId, state: 'pending', ignoredFiles: [], databases: [] };
    const recorded: string[] = [];
    const log = createLogger({ service: 'test', level: 'silent' });
    const tasks = createTaskGroup(log);
    const context = {
      log,
      tasks,
      runs: new SharedRuns(tasks),
      mutex: new KeyedMutex(),
      turns: new TurnQueue({ concurrency: 1 }),
      tempNames: new TempNames(new Date()),
      clock: () => new Date(),
      volumes: {
        open: async (_volume: string, use: (root: FileHandle) => Promise<unknown>) =>
          withHandle(await openTrusted(directory.root), use),
      },
      storages: {
        of: () => ({
          create: async (_ref: unknown, source: BackupSource) => create(source),
          delete: async () => recorded.push('deleted'),
        }),
      },
      store: {
        confirm: async () => ({ ...backup }),
        complete: async () => {
          backup.state = 'completed';
          throw new Error('the answer of the database is lost');
        },
        find: async () => backup,
        fail: async (_id: string, reason: string) => backup.state === 'pending' && recorded.push(reason) > 0,
        listReplacedBy: async () => [],
      },
    } as unknown as BackupDeps;
    const shared = await startBackup(context, { serverId, id }, idleMs);
    await shared?.result;
    return recorded;
  }

  it('fails with its reason, and what it has left is removed', async () => {
    const recorded = await run(
      async ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    expect(recorded).to.deep.equal(['STORAGE_UNAVAILABLE', 'deleted']);
  });

  it('goes on as long as it reports progress', async () => {
    let reports = 0;
    const recorded = await run(async ({ onArchived, signal }) => {
      for (; reports < 8; reports += 1) {
        onArchived(reports / 8);
        await pause(idleMs / 4);
        signal.throwIfAborted();
      }
      throw new Error('an end of its own');
    });
    expect(reports).to.equal(8);
    expect(recorded).to.deep.equal(['INTERNAL', 'deleted']);
  });

  it('keeps the bytes when the answer to its completion is lost', async () => {
    expect(await run(async () => ({ sizeBytes: 1, checksum: 'sha256:00' }))).to.deep.equal([]);
  });
});

describe('backups of several owners at one place', () => {
  it('lets owners take turns', async () => {
    const directory = await createTempDir();
    const log = createLogger({ service: 'test', level: 'silent' });
    const tasks = createTaskGroup(log);
    const made: string[] = [];
    const context = {
      log,
      tasks,
      runs: new SharedRuns(tasks),
      mutex: new KeyedMutex(),
      tempNames: new TempNames(new Date()),
      turns: new TurnQueue({ concurrency: 1 }),
      clock: () => new Date(),
      volumes: {
        open: async (_volume: string, use: (root: FileHandle) => Promise<unknown>) =>
          withHandle(await openTrusted(directory.root), use),
      },
      storages: {
        of: () => ({
          create: async ({ id }: { id: string }) => {
            made.push(id);
            throw new Error('an end of its own');
          },
          delete: async () => undefined,
        }),
      },
      store: {
        confirm: async (serverId: string, id: string) => ({
          id,
          serverId,
          state: 'pending',
          ignoredFiles: ['x'],
          databases: [],
        }),
        fail: async () => true,
        listReplacedBy: async () => [],
      },
    } as unknown as BackupDeps;
    const runs = [];
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2']) {
      runs.push(await startBackup(context, { serverId: randomUUID(), id, ownerId: id.slice(0, 1) }));
    }
    await Promise.all(runs.map(async (run) => run?.result));
    expect(made).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2']);
    await directory.remove();
  });
});
