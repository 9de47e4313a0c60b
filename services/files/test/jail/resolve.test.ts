import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { mapFsErrors } from '../../src/jail/errno.js';
import { withHandle, handlePath, openTrusted } from '../../src/jail/node.js';
import { displayPath, parsePath } from '../../src/domain/path.js';
import { resolve } from '../../src/jail/resolve.js';
import { reasonOf } from '../harness.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

describe('path resolution inside a root', () => {
  let place: TempDir;
  beforeEach(async () => {
    place = await createTempDir();
    await mkdir(path.join(place.root, 'world/region'), { recursive: true });
    await writeFile(path.join(place.root, 'world/level.dat'), 'level');
    await writeFile(path.join(place.root, 'top.txt'), 'top');
  });
  afterEach(async () => place.remove());

  const placeOf = async (text: string, followLast = true) =>
    withHandle(await openTrusted(place.root), async (root) =>
      mapFsErrors(async () =>
        resolve(root, parsePath(text, 'path'), { followLast }, async ({ segments }) => displayPath(segments)),
      ),
    );
  const link = async (target: string, at: string) => symlink(target, path.join(place.root, at));

  it('finds files and directories, and the root itself', async () => {
    expect(await placeOf('/world/level.dat')).to.equal('world/level.dat');
    expect(await placeOf('/world/region')).to.equal('world/region');
    expect(await placeOf('/')).to.equal('');
  });

  it('returns the identity of the entry it opened', async () => {
    const content = await withHandle(await openTrusted(place.root), async (root) =>
      resolve(root, parsePath('world/level.dat', 'path'), { followLast: true }, async ({ node }) =>
        readFile(handlePath(node), 'utf8'),
      ),
    );
    expect(content).to.equal('level');
  });

  it('does not find missing entries and entries below a file', async () => {
    expect(await reasonOf(placeOf('/missing'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(placeOf('/missing/deeper'))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(placeOf('/top.txt/deeper'))).to.equal('FILE_NOT_FOUND');
  });

  for (const [what, target, at, asked, expected] of [
    ['beside itself', 'level.dat', 'world/link', 'world/link', 'world/level.dat'],
    ['up and into another place', '../top.txt', 'world/link', 'world/link', 'top.txt'],
    ['to the root', '..', 'world/up', 'world/up', ''],
    ['with more slashes and dots than needed', './/..//./top.txt', 'world/link', 'world/link', 'top.txt'],
    ['to a directory, on the way', 'world', 'w', 'w/level.dat', 'world/level.dat'],
    ['through a name that goes up again', 'world/region/../level.dat', 'link', 'link', 'world/level.dat'],
  ] as const) {
    it(`follows a link to ${what}`, async () => {
      await link(target, at);
      expect(await placeOf(asked)).to.equal(expected);
    });
  }

  it('resolves .. from the target of a link', async () => {
    await mkdir(path.join(place.root, 'deep/er'), { recursive: true });
    await writeFile(path.join(place.root, 'deep/here'), '');
    await link('deep/er', 'short');
    await link('short/../here', 'link');
    expect(await placeOf('link')).to.equal('deep/here');
  });

  it('returns a final link itself when it must not be followed', async () => {
    await link('/etc', 'etc');
    expect(await placeOf('etc', false)).to.equal('etc');
    await link('world', 'w');
    expect(await placeOf('w/level.dat', false)).to.equal('world/level.dat');
  });

  for (const [what, links, asked] of [
    ['an absolute link to a directory', [['/etc', 'x']], 'x'],
    ['an absolute link on the way', [['/etc', 'x']], 'x/passwd'],
    ['an absolute link to a file', [['/etc/passwd', 'x']], 'x'],
    ['a link to the root of the machine', [['/', 'x']], 'x/etc/passwd'],
    ['a link to the environment of a process', [['/proc/self/environ', 'x']], 'x'],
    ['a link to the root of a process', [['/proc/1/root', 'x']], 'x/etc/passwd'],
    ['a link one level too high', [['..', 'x']], 'x/outside/secret'],
    ['a link that goes down first', [['world/../../outside', 'x']], 'x/secret'],
    ['a link from below that climbs too high', [['../../../outside/secret', 'world/region/x']], 'world/region/x'],
    ['a chain that ends outside', [['b', 'x'], ['world/c', 'b'], ['../../outside', 'world/c']], 'x/secret'], // prettier-ignore
    ['a chain whose middle is absolute', [['b', 'x'], ['/proc/self/cwd', 'b']], 'x'], // prettier-ignore
    ['a link that climbs far beyond the root', [[`${'../'.repeat(200)}etc/passwd`, 'x']], 'x'],
    ['a link to itself', [['x', 'x']], 'x'],
    ['two links to each other', [['y', 'x'], ['x', 'y']], 'x/deeper'], // prettier-ignore
    ['a link that grows with every turn', [['x/x/x', 'x']], 'x'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      for (const [target, at] of links) await link(target, at);
      expect(await reasonOf(placeOf(asked))).to.equal('LINK_REFUSED');
    });
  }

  it('refuses a link with an absolute host path', async () => {
    await link(path.join(place.root, 'top.txt'), 'x');
    expect(await reasonOf(placeOf('x'))).to.equal('LINK_REFUSED');
  });

  it('bounds the number of followed links', async () => {
    // 2^30 steps when all are followed
    for (let i = 0; i < 30; i += 1) await link(`l${i + 1}/../l${i + 1}`, `l${i}`);
    await mkdir(path.join(place.root, 'l30'));
    const begin = processorMs();
    expect(await reasonOf(placeOf('l0'))).to.equal('LINK_REFUSED');
    expect(processorMs() - begin).to.be.lessThan(2_000);
  });

  it('finds a name that is not UTF-8 by its listed name', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${place.root}/save-`), Buffer.from([0xff, 0xfe])]), '');
    expect(await placeOf('/save-\ufffd\ufffd')).to.equal('save-\ufffd\ufffd');
    expect(await reasonOf(placeOf('/save-\ufffd'))).to.equal('FILE_NOT_FOUND');
  });

  it('does not choose between two names that are listed alike', async () => {
    for (const byte of [0xfe, 0xff]) {
      await writeFile(Buffer.concat([Buffer.from(`${place.root}/save-`), Buffer.from([byte])]), '');
    }
    expect(await reasonOf(placeOf('/save-\ufffd'))).to.equal('NAME_AMBIGUOUS');
  });

  it('names a pipe without opening it for reading', async () => {
    execFileSync('mkfifo', [path.join(place.root, 'pipe')]);
    expect(await placeOf('/pipe')).to.equal('pipe');
  });

  it('closes every descriptor in every outcome', async () => {
    await link('/etc', 'out');
    await link('world/region', 'in');
    const before = await openHandles();
    for (const asked of ['world/level.dat', 'in', 'out/passwd', 'missing/x', 'top.txt/x', 'in/x']) {
      await reasonOf(placeOf(asked));
    }
    expect(await openHandles()).to.equal(before);
  });
});

async function openHandles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}
