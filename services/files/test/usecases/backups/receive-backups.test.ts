import { createHash, randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import { expect } from 'chai';
import { blobKey, createArchiveStorage } from '../../../src/backups/archive/archive-storage.js';
import { createBackupStorages } from '../../../src/backups/storage/backup-storages.js';
import { openDiskBlobs } from '../../../src/backups/archive/disk-blobs.js';
import type { BackupDeps } from '../../../src/backups/backup-deps.js';
import { receiveBackups } from '../../../src/usecases/backups/receive-backups.js';
import { sweepBackups } from '../../../src/backups/sweep-backups.js';
import { createTempDir, type TempDir } from '../../temp-dir.js';

const { signal } = new AbortController();

describe('backups that arrive with a transfer', () => {
  let directory: TempDir;
  beforeEach(async () => {
    directory = await createTempDir();
  });
  afterEach(async () => directory.remove());

  const content = Buffer.from('what is in the archive');
  const [id, serverId] = [randomUUID(), randomUUID()];

  async function* bytes() {
    yield content;
  }

  /** `whenCopied` runs after the copy, before the record's update. */
  async function contextOf(whenCopied: (context: BackupDeps) => Promise<void>) {
    const nodeIds = ['source'];
    const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const backup = () => ({
      id,
      serverId,
      storage: 'node',
      state: 'completed',
      checksum,
      sizeBytes: content.length,
      nodeIds: [...nodeIds],
    });
    const diskBlobs = await openDiskBlobs(directory.root, 0);
    const storage = createArchiveStorage('node', diskBlobs, signal);
    const verify: typeof storage.verify = async (...args) => {
      await whenCopied(context);
      await storage.verify(...args);
    };
    const context = {
      nodeId: 'target',
      retentionMs: null,
      clock: () => new Date(),
      mutex: new KeyedMutex(),
      runs: { find: () => undefined },
      arriving: new Set(),
      diskBlobs,
      storages: createBackupStorages('target', 'node', [{ ...storage, verify }]),
      store: {
        list: async () => [backup()],
        listUnfinished: async () => [],
        find: async () => backup(),
        addNode: async (_id: string, nodeId: string) => void nodeIds.push(nodeId),
      },
      exporter: () => ({
        exportBackup: async function* () {
          for await (const chunk of bytes()) yield { chunk };
        },
      }),
    } as unknown as BackupDeps;
    return { context, nodeIds };
  }

  const archives = async () => readdir(path.join(directory.root, serverId));

  it('sweeps no backups that arrive with a transfer', async () => {
    const { context, nodeIds } = await contextOf(async (running) => sweepBackups(running, signal));
    const request = { serverId, sourceAddress: 'x', grant: 'y', backupId: null };
    let received = 0;
    for await (const progress of receiveBackups(context, request, signal)) ({ received } = progress);
    expect(received).to.equal(1);
    await sweepBackups(context, signal);
    expect(nodeIds).to.deep.equal(['source', 'target']);
    expect(await archives()).to.deep.equal([`${id}.tar.gz`]);
  });

  it('sweeps backups of a transfer that nobody copies any more', async () => {
    const { context } = await contextOf(async () => undefined);
    await context.diskBlobs.put(blobKey({ serverId, id }), bytes(), 0, signal);
    await writeFile(path.join(directory.root, serverId, 'other'), '');
    await sweepBackups(context, signal);
    expect(await archives()).to.deep.equal(['other']);
  });
});
