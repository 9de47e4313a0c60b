import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { withHandle, openTrusted } from '../../src/jail/node.js';
import { walkSorted } from '../../src/jail/sorted-walk.js';
import { comparePaths, isAncestor } from '../../src/transfers/tree-path.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

describe('sorted walk', () => {
  let place: TempDir;
  beforeEach(async () => {
    place = await createTempDir();
  });
  afterEach(async () => place.remove());

  const walk = async (onEntry: (at: string) => Promise<void> | void = () => {}) =>
    withHandle(await openTrusted(place.root), async (root) => {
      const paths: Buffer[] = [];
      for await (const entry of walkSorted(root)) {
        paths.push(entry.path);
        await onEntry(entry.path.toString());
      }
      return paths;
    });
  const make = async (...names: string[]) => {
    for (const name of names) {
      await mkdir(path.dirname(path.join(place.root, name)), { recursive: true });
      if (name.endsWith('/')) await mkdir(path.join(place.root, name), { recursive: true });
      else await writeFile(path.join(place.root, name), '');
    }
  };

  it('yields a directory, then its entries, then its next sibling', async () => {
    await make('a/z', 'a.b', 'a b', 'a/b/c', 'b', 'a/b!', 'A', 'ä', 'empty/');
    const paths = (await walk()).map(String);
    expect(paths).to.deep.equal(['A', 'a', 'a/b', 'a/b/c', 'a/b!', 'a/z', 'a b', 'a.b', 'b', 'empty', 'ä']);
  });

  it('follows the order of paths for any names', async () => {
    const letters = ['a', '!', '.', '-', '0', '\u0001', 'ü', '~'];
    const pick = () => letters[Math.floor(Math.random() * letters.length)] ?? '';
    const name = () => `${pick()}${pick()}${pick()}x`;
    for (let count = 0; count < 150; count += 1) await make(`${name()}/${name()}/${name()}`).catch(() => undefined);
    const paths = await walk();
    expect(paths.length).to.be.greaterThan(150);
    expect(paths).to.deep.equal(paths.toSorted(comparePaths));
    for (const [at, one] of paths.slice(1).entries()) {
      expect(comparePaths(paths[at] ?? one, one), `${String(paths[at])} before ${String(one)}`).to.be.lessThan(0);
    }
  });

  it('keeps one directory open at any depth', async () => {
    await make(`${'d/'.repeat(300)}bottom`);
    const open: number[] = [];
    const paths = await walk(async () => void open.push((await readdir('/proc/self/fd')).length));
    expect(paths).to.have.length(301);
    expect(Math.max(...open) - Math.min(...open)).to.be.lessThan(30);
  });

  it('ends when a directory is moved away during the walk', async () => {
    await make('a/b/c', 'd');
    const moving = walk(async (at) => {
      if (at === 'a/b') await rename(path.join(place.root, 'a'), path.join(place.outside, 'a'));
    });
    const failure = await moving.catch((error: unknown) => error);
    expect(isAppError(failure, 'TREE_MOVED')).to.equal(true);
  });
});

describe('sorted walk over too many names', () => {
  it('bounds the names it holds, in one directory and along the path', async () => {
    const place = await createTempDir();
    for (const name of ['a/x', 'b', 'c', 'd/1', 'd/2']) {
      await mkdir(path.dirname(path.join(place.root, name)), { recursive: true });
      await writeFile(path.join(place.root, name), '');
    }
    const countWith = async (maxNames: number) =>
      withHandle(await openTrusted(place.root), async (root) => {
        let count = 0;
        for await (const { path: at } of walkSorted(root, maxNames)) count += at.length > 0 ? 1 : 0;
        return count;
      });
    expect(await countWith(4)).to.equal(7);
    const failure = await countWith(3).catch((error: unknown) => error);
    expect(isAppError(failure, 'TREE_UNSUPPORTED')).to.equal(true);
    await place.remove();
  });
});

describe('tree paths', () => {
  const compare = (a: string, b: string) => Math.sign(comparePaths(Buffer.from(a), Buffer.from(b)));

  it('compares tree paths in the order of the walk', () => {
    for (const [a, b] of [
      ['a', 'a/b'],
      ['a/b', 'a.b'],
      ['a/b', 'a b'],
      ['a/b/c', 'a/b!'],
      ['', 'a'],
      ['a', 'b'],
      ['Z', 'a'],
    ] as const) {
      expect(compare(a, b), `${a} < ${b}`).to.equal(-1);
      expect(compare(b, a), `${b} > ${a}`).to.equal(1);
    }
    expect(compare('a/b', 'a/b')).to.equal(0);
  });

  it('treats a tree path as ancestor of itself and of paths below it', () => {
    const leads = (a: string, b: string) => isAncestor(Buffer.from(a), Buffer.from(b));
    expect([leads('a', 'a'), leads('a', 'a/b'), leads('a/b', 'a/b/c')]).to.deep.equal([true, true, true]);
    expect([leads('a', 'ab'), leads('a/b', 'a'), leads('b', 'a/b')]).to.deep.equal([false, false, false]);
  });
});
