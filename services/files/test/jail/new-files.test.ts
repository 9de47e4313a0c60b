import { constants } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause } from '@panel/kit/async';
import { expect } from 'chai';
import { createNewFiles, type NewFiles } from '../../src/jail/new-files.js';
import { openTrusted, withHandle } from '../../src/jail/node.js';
import { createTempDir, type TempDir } from '../temp-dir.js';
import { startSymlinkRace } from './symlink-race.js';

describe('files that a thread creates', () => {
  let place: TempDir;
  let files: NewFiles;
  const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  beforeEach(async () => {
    place = await createTempDir();
    await mkdir(path.join(place.root, 'world/region'), { recursive: true });
    files = createNewFiles(owner);
  });
  afterEach(async () => place.remove());

  async function create(file: string, flags: number = constants.O_WRONLY) {
    const names = file.split('/').map((name) => Buffer.from(name));
    return withHandle(await openTrusted(place.root), async (root) =>
      files.create(root, { parents: names.slice(0, -1), name: names.at(-1) ?? Buffer.alloc(0), flags, mode: 0o640 }),
    );
  }

  it('creates a file with its mode and leaves it open', async () => {
    const file = await create('world/region/r.0.mca', constants.O_RDWR);
    await file?.write(Buffer.from('chunk'), 0, 5, 0);
    const buffer = Buffer.alloc(5);
    await file?.read(buffer, 0, 5, 0);
    expect(buffer.toString()).to.equal('chunk');
    expect((await file?.stat({ bigint: true }))?.size).to.equal(5n);
    await file?.close();
    const stats = await stat(path.join(place.root, 'world/region/r.0.mca'));
    expect([stats.mode & 0o777, stats.uid, stats.gid]).to.deep.equal([0o640, owner.uid, owner.gid]);
  });

  it('creates many files that are asked for at the same time, or says that it has not', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `world/f${at}`);
    const made = await Promise.all(names.map(async (name) => create(name)));
    const expected = names.filter((_, at) => made[at] !== null).map((name) => path.basename(name));
    expect((await readdir(path.join(place.root, 'world'))).sort()).to.deep.equal([...expected, 'region'].sort());
    expect(expected).not.to.have.length(0);
    for (const file of made) await file?.close();
  });

  for (const [what, prepare, asked] of [
    ['a file that exists', async () => writeFile(path.join(place.root, 'there'), 'kept'), 'there'],
    [
      'a link that leads nowhere',
      async () => symlink(path.join(place.outside, 'new'), path.join(place.root, 'x')),
      'x',
    ],
    ['a name behind a link to the outside', async () => symlink(place.outside, path.join(place.root, 'x')), 'x/new'],
    ['a name behind a link inside', async () => symlink('world', path.join(place.root, 'x')), 'x/new'],
    ['a name deep behind a link', async () => symlink(place.outside, path.join(place.root, 'world/x')), 'world/x/new'],
    ['a name in a directory that is missing', async () => undefined, 'missing/new'],
    ['a name in a file', async () => writeFile(path.join(place.root, 'there'), 'kept'), 'there/new'],
  ] as const) {
    it(`creates nothing for ${what}`, async () => {
      await prepare();
      expect(await create(asked)).to.equal(null);
      expect(await readdir(place.outside)).to.deep.equal(['secret']);
      expect(await readdir(path.join(place.root, 'world'))).not.to.include('new');
      if (asked.startsWith('there')) expect(await readFile(path.join(place.root, 'there'), 'utf8')).to.equal('kept');
    });
  }

  it('creates nothing outside through a directory that alternates with a link', async function () {
    this.timeout(180_000);
    await mkdir(path.join(place.root, 'x'));
    const flipping = await startSymlinkRace(place.root, place.outside, 2_000);
    const outcomes = new Set<boolean>();
    for (let at = 0; at < 20_000 && (at < 500 || outcomes.size < 2); at += 1) {
      const file = await create(`x/f${at}`);
      outcomes.add(file !== null);
      await file?.close();
    }
    await flipping.stop();
    expect(await readdir(place.outside)).to.deep.equal(['secret']);
    // both race outcomes occurred
    expect([...outcomes]).to.have.members([true, false]);
  });

  it('closes every directory in every outcome', async () => {
    await symlink(place.outside, path.join(place.root, 'x'));
    await (await create('world/region/first'))?.close();
    const before = (await readdir('/proc/self/fd')).length;
    for (const asked of ['world/region/second', 'world/region/second', 'x/new', 'world/missing/new']) {
      await (await create(asked))?.close();
    }
    expect((await readdir('/proc/self/fd')).length).to.equal(before);
  });

  it('creates every file although its thread has ended in between', async () => {
    const idleMs = 1;
    files = createNewFiles(owner, idleMs);
    for (let at = 0; at < 30; at += 1) {
      const file = await create(`idle${at}`);
      expect(file).not.to.equal(null);
      // around the thread's end
      await pause(idleMs + (at % 3));
      await file?.write(Buffer.from('x'), 0, 1, 0);
      await file?.close();
    }
  });

  it('names no other file once it is closed', async () => {
    const file = await create('closed');
    await file?.close();
    expect(() => file?.fd).to.throw(TypeError, 'closed');
  });
});
