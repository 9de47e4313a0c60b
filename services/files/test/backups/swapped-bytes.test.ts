import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createArchiveStorage } from '../../src/backups/archive/archive-storage.js';
import { openDiskBlobs } from '../../src/backups/archive/disk-blobs.js';
import type { BackupRef } from '../../src/backups/storage/backup-storage.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { reasonOf } from '../harness.js';
import { scanning } from './scanning.js';

const signal = new AbortController().signal;
const ignoreShare = () => undefined;

describe('a storage that answers other bytes than those that were verified', () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'panel-swapped-'))));
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  it('restores nothing, neither as a whole nor by path', async () => {
    const serverId = randomUUID();
    const [volume, target] = [path.join(directory, 'volume'), path.join(directory, 'target')];
    for (const each of [volume, target]) await mkdir(each);
    const blobs = path.join(directory, 'blobs');
    const storage = createArchiveStorage('node', await openDiskBlobs(blobs, 0), signal);
    const store = async (content: string): Promise<BackupRef> => {
      await writeFile(path.join(volume, 'level.dat'), content);
      const ref = { id: randomUUID(), serverId, checksum: '' };
      return withHandle(await openTrusted(volume), async (root) => {
        const source = { root, scan: scanning(root), signal, onArchived: ignoreShare, onVerified: ignoreShare };
        return { ...ref, ...(await storage.create(ref, source)) };
      });
    };
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const extract = async (backup: BackupRef, paths: readonly string[]) =>
      withHandle(await open(target, constants.O_RDONLY | constants.O_DIRECTORY), async (handle) =>
        storage.extract(backup, { directory: handle, owner, paths, signal, onExtracted: ignoreShare }),
      );
    const [ours, theirs] = [await store('ours'), await store('theirs')];
    await storage.verify(ours, signal, ignoreShare);
    expect(await reasonOf(extract(ours, []))).to.equal('none');
    const fileOf = ({ id }: BackupRef) => path.join(blobs, serverId, `${id}.tar.gz`);
    await copyFile(fileOf(theirs), fileOf(ours));
    for (const paths of [[], ['level.dat']]) expect(await reasonOf(extract(ours, paths))).to.equal('BACKUP_DAMAGED');
  });
});
