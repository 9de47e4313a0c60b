import { createLogger, createTaskGroup, type TaskGroup } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { TrashEntry } from '../../src/domain/trash-entry.js';
import { TempNames } from '../../src/jail/temp-names.js';
import type { TrashStore } from '../../src/models/trash-store.js';
import { noDiskQuotas } from '../../src/quotas/disk-quotas.js';
import { createTrash } from '../../src/trash/trash.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

describe('fitting the trash into the disk limit', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  let directory: TempDir;
  let tasks: TaskGroup;
  beforeEach(async () => {
    directory = await createTempDir();
    tasks = createTaskGroup(log);
  });
  afterEach(async () => {
    await tasks.stop();
    await directory.remove();
  });

  /** Newest first, 10 bytes each. */
  function trashOf(...ids: string[]) {
    let records: TrashEntry[] = ids.map((id) => ({
      id,
      serverId: 'a',
      nodeId: 'node',
      path: `/${id}`,
      isDirectory: false,
      sizeBytes: 10,
      deletedAt: new Date(0),
    }));
    let reads = 0;
    const store = {
      listOn: async () => {
        reads += 1;
        return records;
      },
      remove: async (id: string) => {
        records = records.filter((record) => record.id !== id);
        return true;
      },
    } as unknown as TrashStore;
    const trash = createTrash({
      directory: directory.root,
      store,
      nodeId: 'node',
      quotas: noDiskQuotas,
      tempNames: new TempNames(new Date()),
      tasks,
      clock: () => new Date(),
      systemClock: () => new Date(),
      attempt: async () => true,
      retentionMs: 60_000,
    });
    return { trash, left: () => records.map(({ id }) => id), reads: () => reads };
  }

  it('frees the oldest entries that do not fit', async () => {
    const { trash, left } = trashOf('newest', 'old', 'oldest');
    trash.fitSoon('a', async () => 75, 100);
    await waitUntil('the trash to fit', () => left().length === 2);
    expect(left()).to.deep.equal(['newest', 'old']);
  });

  it('reads the records once for all who ask meanwhile, and takes the limit of the last', async () => {
    const { trash, left, reads } = trashOf('newest', 'oldest');
    for (let file = 0; file < 100; file += 1) trash.fitSoon('a', async () => 85, file < 99 ? 1_000 : 100);
    await waitUntil('the trash to fit', () => left().length === 1);
    expect(reads()).to.equal(1);
  });

  it('fits again when it is asked later', async () => {
    const { trash, left } = trashOf('newest', 'oldest');
    trash.fitSoon('a', async () => 85, 100);
    await waitUntil('the first to be freed', () => left().length === 1);
    trash.fitSoon('a', async () => 95, 100);
    await waitUntil('the second to be freed', () => left().length === 0);
  });
});
