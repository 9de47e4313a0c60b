import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { modeText } from '../../src/domain/mode.js';
import { listEntries } from '../../src/jail/entries.js';
import { withHandle, openDirectory, openTrusted } from '../../src/jail/node.js';
import { statEntries } from '../../src/jail/tree.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

const reading = { checkpoint: () => undefined, stat: statEntries };

describe('directory entries', () => {
  let place: TempDir;
  beforeEach(async () => {
    place = await createTempDir();
  });
  afterEach(async () => place.remove());

  const at = (name: string) => path.join(place.root, name);
  const list = async () =>
    withHandle(await openTrusted(place.root), async (root) =>
      listEntries(root, { directory: root, segments: [] }, reading),
    );
  const byName = async () => new Map((await list()).entries.map((entry) => [entry.name, entry]));

  it('sorts directory entries by name, directories first', async () => {
    for (const name of ['b.txt', 'A.txt', 'a.txt']) await writeFile(at(name), 'x');
    for (const name of ['z', 'world']) await mkdir(at(name));
    expect((await list()).entries.map(({ name }) => name)).to.deep.equal(['world', 'z', 'A.txt', 'a.txt', 'b.txt']);
  });

  it('lists mode, size and times of directory entries', async () => {
    await writeFile(at('a.properties'), '12345');
    await chmod(at('a.properties'), 0o640);
    await utimes(at('a.properties'), new Date(1_000_000), new Date(2_000_000));
    const entry = (await byName()).get('a.properties');
    expect(entry).to.include({ sizeBytes: 5, isFile: true, isSymlink: false, mimetype: 'text/plain' });
    expect(modeText(entry?.mode ?? 0)).to.equal('-rw-r-----');
    expect(entry?.modifiedAt.getTime()).to.equal(2_000_000);
    expect(entry?.createdAt.getTime()).to.be.closeTo(Date.now(), 60_000);
  });

  it('detects text by content when the name is unknown', async () => {
    await writeFile(at('eula'), 'eula=true');
    await writeFile(at('blob'), Buffer.from([0, 1, 2]));
    await writeFile(at('empty'), '');
    await mkdir(at('dir'));
    const entries = await byName();
    expect(entries.get('eula')?.mimetype).to.equal('text/plain');
    expect(entries.get('blob')?.mimetype).to.equal('application/octet-stream');
    expect(entries.get('empty')?.mimetype).to.equal('text/plain');
    expect(entries.get('dir')).to.include({ mimetype: 'inode/directory', isFile: false, sizeBytes: 0 });
  });

  it('resolves links inside the server and reveals nothing outside', async () => {
    await mkdir(at('world'));
    await writeFile(at('world/a.json'), '{}');
    for (const [target, name] of [
      ['world', 'to-directory'],
      ['world/a.json', 'to-file'],
      ['nowhere', 'dangling'],
      [place.outside, 'out'],
      ['../outside/secret', 'secret.txt'],
      ['self', 'self'],
    ] as const) {
      await symlink(target, at(name));
    }
    const entries = await byName();
    expect(entries.get('to-directory')).to.include({ isSymlink: true, isFile: false, mimetype: 'inode/directory' });
    expect(entries.get('to-file')).to.include({ isSymlink: true, isFile: true, mimetype: 'application/json' });
    for (const name of ['dangling', 'out', 'secret.txt', 'self']) {
      expect(entries.get(name)).to.include({ isSymlink: true, mimetype: 'inode/symlink' });
    }
    expect([...entries.keys()].slice(0, 2)).to.deep.equal(['to-directory', 'world']);
  });

  it('lists pipes without opening them for reading', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await symlink('pipe', at('to-pipe'));
    const entries = await byName();
    expect(entries.get('pipe')).to.include({ isFile: false, mimetype: 'application/octet-stream' });
    expect(entries.get('to-pipe')).to.include({ isSymlink: true, mimetype: 'application/octet-stream' });
  });

  it('lists every file name a game can create', async () => {
    for (const bytes of [[0xff, 0xfe], [0x0a], [0x1b, 0x5b, 0x32, 0x4a], [0x5c], [0x20], [0x2d, 0x72, 0x66]]) {
      await writeFile(Buffer.concat([Buffer.from(`${place.root}/`), Buffer.from(bytes)]), '');
    }
    const { entries } = await list();
    expect(entries.map(({ name }) => name)).to.have.members([
      ' ',
      '-rf',
      '\ufffd',
      '\ufffd',
      '\ufffd\ufffd',
      '\ufffd[2J',
    ]);
  });

  it('lists 10,000 directory entries at most, and says so', async function () {
    this.timeout(180_000);
    await withHandle(await openTrusted(place.root), async (root) => {
      execFileSync('sh', ['-c', 'seq 1 12000 | xargs touch'], { cwd: place.root });
      const begin = processorMs();
      const { entries, isTruncated } = await listEntries(root, { directory: root, segments: [] }, reading);
      expect(entries).to.have.length(10_000);
      expect(isTruncated).to.equal(true);
      expect(processorMs() - begin).to.be.lessThan(5_000);
    });
  });

  it('fits entries with the longest names into one message', async function () {
    this.timeout(180_000);
    const odd = Buffer.alloc(240, 0xff);
    for (let i = 0; i < 5_000; i += 1) {
      await writeFile(Buffer.concat([Buffer.from(`${place.root}/${i}-`), odd]), '');
    }
    const { entries, isTruncated } = await list();
    expect(isTruncated).to.equal(true);
    expect(entries.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0)).to.be.lessThan(3 * 1024 * 1024);
  });

  it('resolves links relative to their own directory', async () => {
    await mkdir(at('a/b'), { recursive: true });
    await writeFile(at('x.json'), '{}');
    await symlink('../../x.json', at('a/b/link'));
    await withHandle(await openTrusted(place.root), async (root) =>
      withHandle(await openDirectory(root, Buffer.from('a')), async (a) =>
        withHandle(await openDirectory(a, Buffer.from('b')), async (b) => {
          const { entries } = await listEntries(
            root,
            { directory: b, segments: [Buffer.from('a'), Buffer.from('b')] },
            reading,
          );
          expect(entries[0]).to.include({ name: 'link', mimetype: 'application/json' });
        }),
      ),
    );
  });
});
