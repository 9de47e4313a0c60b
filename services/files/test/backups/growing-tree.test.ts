import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createArchiveStorage } from '../../src/backups/archive/archive-storage.js';
import { openDiskBlobs } from '../../src/backups/archive/disk-blobs.js';
import type { BackupSource } from '../../src/backups/storage/backup-storage.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { fileLengths, makeDeepFile, removeDeepTree } from '../deep-tree.js';
import { scanning } from './scanning.js';

const signal = new AbortController().signal;
const owner = { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
const ignoreShare = () => undefined;

describe('a tree that grows after its scan', () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'panel-growing-'))));
  afterEach(() => removeDeepTree(directory));

  it('stores the tree without the paths that no restore could create', async () => {
    const [volume, target] = [path.join(directory, 'volume'), path.join(directory, 'target')];
    for (const made of [volume, target]) await mkdir(made);
    await writeFile(path.join(volume, 'a'), 'a');
    const storage = createArchiveStorage('node', await openDiskBlobs(path.join(directory, 'backups'), 0), signal);
    const backup = { id: randomUUID(), serverId: randomUUID(), checksum: '' };
    const stored = await withHandle(await openTrusted(volume), async (root) => {
      const scanned = scanning(root);
      const scan: BackupSource['scan'] = async (visitor) => {
        const tree = await scanned(visitor);
        await makeDeepFile(volume, 4_093);
        await makeDeepFile(volume, 4_094);
        return tree;
      };
      return storage.create(backup, { root, scan, signal, onArchived: ignoreShare, onVerified: ignoreShare });
    });
    await withHandle(await open(target, 'r'), async (handle) =>
      storage.extract(
        { ...backup, ...stored },
        { directory: handle, owner, paths: [], signal, onExtracted: ignoreShare },
      ),
    );
    expect(fileLengths(target)).to.have.members([1, 4_093]);
  });
});
