import { chmod, link, mkdir, open, readdir, rename, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { measureTree } from '../../src/jail/measure.js';
import { withHandle, entryPath, openDirectory, openTrusted } from '../../src/jail/node.js';
import { removeTree } from '../../src/jail/remove-tree.js';
import { TempNames } from '../../src/jail/temp-names.js';
import { walkTree } from '../../src/jail/tree.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

const never = new AbortController().signal;

describe('file tree', () => {
  let place: TempDir;
  beforeEach(async () => {
    place = await createTempDir();
  });
  afterEach(async () => {
    await removeAll(place.base, 'root');
    await place.remove();
  });

  const measure = async () =>
    withHandle(await openTrusted(place.root), async (root) =>
      measureTree(root, { signal: never, tempNames: new TempNames(new Date()) }),
    );
  const fill = async (name: string, bytes: number) => {
    const file = await open(path.join(place.root, name), 'w');
    await file.write(Buffer.alloc(bytes, 1));
    await file.sync();
    await file.close();
  };

  it('measures the blocks of its files', async () => {
    const empty = await measure();
    await fill('a', 64 * 1024);
    await mkdir(path.join(place.root, 'sub'));
    await fill('sub/b', 32 * 1024);
    expect((await measure()) - empty).to.be.within(96 * 1024, 96 * 1024 + 16 * 1024);
  });

  it('counts hard links once', async () => {
    await fill('a', 64 * 1024);
    const before = await measure();
    for (let i = 0; i < 20; i += 1) await link(path.join(place.root, 'a'), path.join(place.root, `a${i}`));
    expect((await measure()) - before).to.be.lessThan(64 * 1024);
  });

  it('counts the blocks of a sparse file', async () => {
    const file = await open(path.join(place.root, 'sparse'), 'w');
    await file.truncate(2 ** 40);
    await file.close();
    expect(await measure()).to.be.lessThan(1024 * 1024);
  });

  it('does not count the targets of links', async () => {
    await writeFile(path.join(place.outside, 'big'), Buffer.alloc(1024 * 1024));
    const before = await measure();
    await symlink(place.outside, path.join(place.root, 'out'));
    await symlink(path.join(place.outside, 'big'), path.join(place.root, 'big'));
    expect((await measure()) - before).to.be.lessThan(64 * 1024);
  });

  it('stops measuring when cancelled', async () => {
    await fill('a', 10);
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    const failure = await withHandle(await openTrusted(place.root), async (root) =>
      measureTree(root, { signal: abort.signal, tempNames: new TempNames(new Date()) }).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(failure).to.equal(abort.signal.reason);
  });

  it('removes a tree with its links and without their targets', async () => {
    await mkdir(path.join(place.root, 'a/b/c'), { recursive: true });
    await fill('a/b/c/file', 10);
    await symlink(place.outside, path.join(place.root, 'a/out'));
    await symlink(path.join(place.outside, 'secret'), path.join(place.root, 'a/b/secret'));
    await removeAll(place.base, 'root');
    expect(await readdir(place.base)).to.deep.equal(['outside']);
    expect(await readdir(place.outside)).to.deep.equal(['secret']);
  });

  it('removes a tree although its owner revoked the permissions', async () => {
    const asGame = async (work: () => Promise<void>) => {
      if (process.getuid?.() !== 0) return work();
      await chmod(place.base, 0o777);
      process.seteuid?.(988);
      try {
        await work();
      } finally {
        process.seteuid?.(0);
      }
    };
    await asGame(async () => {
      await mkdir(path.join(place.base, 'own/locked/deeper'), { recursive: true });
      await writeFile(path.join(place.base, 'own/locked/file'), '');
      for (const name of ['own/locked/deeper', 'own/locked', 'own']) await chmod(path.join(place.base, name), 0);
      await removeAll(place.base, 'own');
    });
    expect(await readdir(place.base)).to.have.members(['outside', 'root']);
  });

  it('removes a tree that is a link as a link', async () => {
    await symlink(place.outside, path.join(place.root, 'out'));
    await removeAll(place.root, 'out');
    expect(await readdir(place.root)).to.deep.equal([]);
    expect(await readdir(place.outside)).to.deep.equal(['secret']);
  });

  it('counts a tree that does not exist as removed', async () => {
    await removeAll(place.root, 'missing');
  });

  it('measures and removes a tree deeper than the longest path with few open files', async () => {
    await nest(place.root, 1_000);
    const before = (await readdir('/proc/self/fd')).length;
    let deepest = 0;
    let mostOpen = 0;
    await withHandle(await openTrusted(place.root), async (root) =>
      walkTree(root, {
        entry: async () => {
          deepest += 1;
          if (deepest % 100 === 0) mostOpen = Math.max(mostOpen, (await readdir('/proc/self/fd')).length);
        },
      }),
    );
    expect(deepest).to.equal(1_000);
    expect(mostOpen).to.be.lessThan(before + 20);
    await removeAll(place.base, 'root');
    expect(await readdir(place.base)).to.deep.equal(['outside']);
  });

  it('ends the walk when a directory is moved away', async () => {
    await mkdir(path.join(place.root, 'a/b'), { recursive: true });
    const walk = withHandle(await openTrusted(place.root), async (root) =>
      walkTree(root, {
        entry: async (_directory, name) => {
          if (name.toString() === 'b') await rename(path.join(place.root, 'a'), path.join(place.outside, 'a'));
        },
      }),
    );
    const failure = await walk.then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).to.have.property('reason', 'TREE_MOVED');
  });
});

async function removeAll(directory: string, name: string): Promise<void> {
  await withHandle(await openTrusted(directory), async (parent) => removeTree(parent, Buffer.from(name), never));
}

/** Step by step, as the whole path would be too long. */
async function nest(root: string, levels: number): Promise<void> {
  const name = Buffer.from('d'.repeat(20));
  let here: FileHandle = await openTrusted(root);
  for (let i = 0; i < levels; i += 1) {
    await mkdir(entryPath(here, name));
    const next = await openDirectory(here, name);
    await here.close();
    here = next;
  }
  await here.close();
}
