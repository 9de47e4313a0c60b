import { chmod, link, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import { RenameFilesRequest } from '@panel/protos/files';
import { expect } from 'chai';
import { newVolume, reasonOf, startTestFiles, type RunningFiles } from '../harness.js';

const secret = 'a secret of the host';
const isRoot = process.getuid?.() === 0;

describe('file changes', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  let outside: string;
  before(async () => {
    running = await startTestFiles();
    outside = path.join(running.dataRoot, 'outside');
    await mkdir(path.join(outside, 'dir'), { recursive: true });
    for (const name of ['file', 'dir/file']) await writeFile(path.join(outside, name), secret);
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await mkdir(at('world/region'), { recursive: true });
    await writeFile(at('world/level.dat'), 'level');
    await writeFile(at('a.txt'), 'a');
  });
  afterEach(async () => {
    expect(await readdir(outside, { recursive: true })).to.have.members(['dir', 'file', 'dir/file']);
    expect(await readFile(path.join(outside, 'file'), 'utf8')).to.equal(secret);
    expect((await readdir(directory, { recursive: true })).filter((name) => name.includes('.panel-'))).to.deep.equal(
      [],
    );
  });

  const at = (name: string) => path.join(directory, name);
  const names = async () => (await readdir(directory, { recursive: true })).toSorted((a, b) => (a < b ? -1 : 1));
  const sign = (permission: string, denylist: string[] = [], diskLimitBytes = 0) =>
    running.grant(serverId, permission, { denylist, diskLimitBytes });

  const makeDirectory = async (asked: string, grant = sign('file.create')) =>
    running.files.createDirectory({ grant, path: asked });
  const rename = async (from: string, to: string, grant = sign('file.update'), root = '') =>
    running.files.renameFiles({ grant, root, files: [{ from, to }] });
  const copy = async (asked: string, to = '', grant = sign('file.create')) =>
    running.files.copyFile({ grant, path: asked, to });
  const remove = async (files: string[], grant = sign('file.delete'), root = '') =>
    running.files.deleteFiles({ grant, root, files });

  const verbs: readonly (readonly [name: string, call: (asked: string, grant?: string) => Promise<unknown>])[] = [
    ['making the directory', async (asked, grant) => makeDirectory(asked, grant)],
    ['renaming from', async (asked, grant) => rename(asked, '/new', grant)],
    ['renaming to', async (asked, grant) => rename('/a.txt', asked, grant)],
    ['renaming below', async (asked, grant) => rename('from', 'to', grant, asked)],
    ['copying from', async (asked, grant) => copy(asked, '/new', grant)],
    ['copying beside', async (asked, grant) => copy(asked, '', grant)],
    ['copying to', async (asked, grant) => copy('/a.txt', asked, grant)],
    ['deleting', async (asked, grant) => remove([asked], grant)],
    ['deleting with another', async (asked, grant) => remove(['/a.txt', asked], grant)],
    ['deleting below', async (asked, grant) => remove(['file'], grant, asked)],
  ];

  for (const [verb, call] of verbs) {
    describe(`by ${verb}`, () => {
      for (const asked of [
        '..',
        '/..',
        '/../x',
        '/world/../../x',
        '/a\0b',
        '/a\nb',
        '/a\\b',
        `/${'x'.repeat(256)}`,
        '/d'.repeat(65),
      ]) {
        it(`refuses ${JSON.stringify(asked.slice(0, 20))}`, async () => {
          const before = await names();
          expect(await reasonOf(call(asked))).to.equal('INVALID_FIELDS');
          expect(await names()).to.deep.equal(before);
        });
      }

      for (const [what, target, asked] of [
        ['a link to a directory outside', '../../outside', '/x/file'],
        ['a link to one further down', '../../outside/dir', '/x/file'],
        ['an absolute link', '/etc', '/x/passwd'],
        ['the root of a process', '/proc/1/root', '/x/tmp/file'],
        ['a link in a circle', 'x', '/x/file'],
      ] as const) {
        it(`does not follow ${what}`, async () => {
          await symlink(target, at('x'));
          const before = await names();
          // `root` prefixes all other paths: they include the link too
          expect(await reasonOf(call(asked))).to.equal('LINK_REFUSED');
          expect(await names()).to.deep.equal(before);
        });
      }

      it('requires a grant', async () => {
        const before = await names();
        for (const permission of ['file.read', 'file.read-content', '*', 'file.*']) {
          expect(await reasonOf(call('/world', sign(permission)))).to.equal('GRANT_INSUFFICIENT');
        }
        expect(await reasonOf(call('/world', 'x.y.z'))).to.equal('GRANT_INVALID');
        expect(await names()).to.deep.equal(before);
      });
    });
  }

  describe('CreateDirectory', () => {
    it('creates missing parents, owned by the game user', async () => {
      const { entry } = await makeDirectory('/a/b/c');
      expect(entry).to.include({ name: 'c', mode: 'drwxr-xr-x', isFile: false, mimetype: 'inode/directory' });
      if (isRoot)
        for (const made of ['a', 'a/b', 'a/b/c']) expect(await stat(at(made))).to.include({ uid: 988, gid: 988 });
    });

    it('refuses an existing path', async () => {
      for (const asked of ['/world', '/a.txt']) expect(await reasonOf(makeDirectory(asked))).to.equal('FILE_EXISTS');
      await symlink('nowhere', at('dangling'));
      expect(await reasonOf(makeDirectory('/dangling'))).to.equal('FILE_EXISTS');
      expect(await reasonOf(makeDirectory('/a.txt/b'))).to.equal('FILE_NOT_FOUND');
    });

    it('creates the directory for one of 50 concurrent requests', async () => {
      const reasons = await Promise.all(Array.from({ length: 50 }, async () => reasonOf(makeDirectory('/new/deep'))));
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
      expect(reasons.filter((reason) => reason === 'FILE_EXISTS')).to.have.length(49);
    });

    it('counts each directory against the disk limit', async () => {
      const { usedBytes } = await running.volumes.getVolumeUsage({ serverId });
      const grant = sign('file.create', [], usedBytes + 3 * 4096);
      await makeDirectory('/d1/d2', grant);
      await makeDirectory('/d3', grant);
      expect(await reasonOf(makeDirectory('/d4', grant))).to.equal('DISK_LIMIT');
    });

    it('refuses protected paths', async () => {
      const grant = sign('file.create', ['private/']);
      for (const asked of ['/private', '/private/deeper'])
        expect(await reasonOf(makeDirectory(asked, grant))).to.equal('FILE_DENIED');
    });
  });

  describe('RenameFiles', () => {
    it('moves files and directories and creates missing parents', async () => {
      await rename('/a.txt', '/b.txt');
      await rename('/world', '/old/world');
      expect(await names()).to.deep.equal(['b.txt', 'old', 'old/world', 'old/world/level.dat', 'old/world/region']);
    });

    it('renames several entries in order below a root', async () => {
      const files = [
        { from: 'level.dat', to: 'level.tmp' },
        { from: 'level.tmp', to: 'sub/level.new' },
      ];
      await running.files.renameFiles({ grant: sign('file.update'), root: '/world', files });
      expect(await readFile(at('world/sub/level.new'), 'utf8')).to.equal('level');
    });

    it('stops at the first failure and reports how many succeeded', async () => {
      const files = [
        { from: '/a.txt', to: '/b.txt' },
        { from: '/missing', to: '/c.txt' },
        { from: '/b.txt', to: '/d.txt' },
      ];
      const request = RenameFilesRequest.create({ grant: sign('file.update'), files });
      const error = await running.files.renameFiles(request).catch((cause: unknown) => cause);
      expect(isAppError(error, 'FILE_NOT_FOUND') && error.metadata).to.deep.equal({ done: 1 });
      expect(await readdir(directory)).to.have.members(['b.txt', 'world']);
    });

    it('never overwrites an entry', async () => {
      await writeFile(at('b.txt'), 'b');
      await symlink('nowhere', at('dangling'));
      for (const to of ['/b.txt', '/world', '/dangling', '/a.txt']) {
        expect(await reasonOf(rename('/a.txt', to))).to.equal('FILE_EXISTS');
      }
      await mkdir(at('empty'));
      for (const to of ['/a.txt', '/empty']) expect(await reasonOf(rename('/world', to))).to.equal('FILE_EXISTS');
      expect(await readFile(at('b.txt'), 'utf8')).to.equal('b');
    });

    it('moves one of 50 concurrent entries to one name and keeps the other 49', async () => {
      for (let i = 0; i < 50; i += 1) await writeFile(at(`f${i}`), `${i}`);
      const reasons = await Promise.all(Array.from({ length: 50 }, async (_, i) => reasonOf(rename(`/f${i}`, '/one'))));
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
      expect((await readdir(directory)).filter((name) => name.startsWith('f'))).to.have.length(49);
    });

    it('refuses to move a directory into itself and to move the root', async () => {
      for (const to of ['/world/region/world', '/world/new']) {
        expect(await reasonOf(rename('/world', to))).to.equal('INVALID_FIELDS');
      }
      await symlink('world/region', at('in'));
      expect(await reasonOf(rename('/world', '/in/world'))).to.equal('INVALID_FIELDS');
      for (const [from, to] of [
        ['/', '/x'],
        ['/a.txt', '/'],
        ['', '/x'],
        ['.', '/x'],
        ['/a.txt', ''],
      ] as const) {
        expect(await reasonOf(rename(from, to))).to.equal('INVALID_FIELDS');
      }
    });

    it('moves a link as a link', async () => {
      await symlink('../../outside/file', at('out'));
      await rename('/out', '/moved');
      expect(await readlink(at('moved'))).to.equal('../../outside/file');
    });

    it('enforces the denylist at both ends', async () => {
      const grant = sign('file.update', ['*.dat', '/world/region/', 'b.txt']);
      await writeFile(at('world/region/r'), '');
      await symlink('world', at('w'));
      for (const [from, to] of [
        ['/world/level.dat', '/x'],
        ['/w/level.dat', '/x'],
        ['/world', '/x'],
        ['/world/region', '/x'],
        ['/a.txt', '/b.txt'],
        ['/a.txt', '/x.dat'],
        ['/a.txt', '/w/region/x'],
      ] as const) {
        expect(await reasonOf(rename(from, to, grant)), `${from} → ${to}`).to.equal('FILE_DENIED');
      }
      await rename('/a.txt', '/fine', grant);
    });

    it('accepts 1 to 100 entries', async () => {
      const many = Array.from({ length: 101 }, () => ({ from: 'a', to: 'b' }));
      for (const files of [[], many]) {
        const call = running.files.renameFiles({ grant: sign('file.update'), root: '', files });
        expect(await reasonOf(call)).to.equal('INVALID_FIELDS');
      }
    });
  });

  describe('CopyFile', () => {
    it('creates "a copy.txt", then "a copy 2.txt", with content and mode', async () => {
      await chmod(at('a.txt'), 0o640);
      const first = await copy('/a.txt');
      expect(first.path).to.equal('/a copy.txt');
      expect(first.entry).to.include({ name: 'a copy.txt', sizeBytes: 1, modeBits: '640' });
      expect((await copy('/a.txt')).path).to.equal('/a copy 2.txt');
      expect(await readFile(at('a copy 2.txt'), 'utf8')).to.equal('a');
      if (isRoot) expect(await stat(at('a copy.txt'))).to.include({ uid: 988, gid: 988, nlink: 1 });
    });

    it('copies to another path and creates missing parents', async () => {
      expect((await copy('/world/level.dat', '/backup/today/level.dat')).path).to.equal('/backup/today/level.dat');
      expect(await readFile(at('backup/today/level.dat'), 'utf8')).to.equal('level');
    });

    it('uses distinct names for 50 concurrent copies', async () => {
      const paths = await Promise.all(Array.from({ length: 50 }, async () => (await copy('/a.txt')).path));
      expect(new Set(paths).size).to.equal(50);
      expect(await readFile(at('a copy 50.txt'), 'utf8')).to.equal('a');
    });

    it('never overwrites an entry', async () => {
      await writeFile(at('b.txt'), 'b');
      await symlink('nowhere', at('dangling'));
      for (const to of ['/b.txt', '/world', '/dangling', '/a.txt']) {
        expect(await reasonOf(copy('/a.txt', to))).to.equal('FILE_EXISTS');
      }
    });

    it('copies regular files only and never follows a link', async () => {
      await symlink('../../outside/file', at('out'));
      await symlink('a.txt', at('in'));
      expect(await reasonOf(copy('/world'))).to.equal('NOT_A_FILE');
      for (const asked of ['/out', '/in']) expect(await reasonOf(copy(asked))).to.equal('LINK_REFUSED');
      expect(await reasonOf(copy('/missing'))).to.equal('FILE_NOT_FOUND');
    });

    it('enforces the denylist at both ends', async () => {
      const grant = sign('file.create', ['*.dat', '* copy.txt']);
      expect(await reasonOf(copy('/world/level.dat', '/x', grant))).to.equal('FILE_DENIED');
      expect(await reasonOf(copy('/a.txt', '/x.dat', grant))).to.equal('FILE_DENIED');
      expect(await reasonOf(copy('/a.txt', '', grant))).to.equal('FILE_DENIED');
    });

    it('respects the disk limit', async () => {
      await writeFile(at('big'), Buffer.alloc(102_400, 1));
      const { usedBytes } = await running.volumes.getVolumeUsage({ serverId });
      expect(await reasonOf(copy('/big', '', sign('file.create', [], usedBytes + 102_399)))).to.equal('DISK_LIMIT');
      await copy('/big', '', sign('file.create', [], usedBytes + 102_400));
      expect(await reasonOf(copy('/a.txt', '', sign('file.create', [], usedBytes + 102_400)))).to.equal('DISK_LIMIT');
    });
  });

  describe('DeleteFiles', () => {
    it('deletes files and directories with their content', async () => {
      await remove(['/world', 'a.txt']);
      expect(await names()).to.deep.equal([]);
      expect(await readdir(path.join(running.dataRoot, 'trash'))).to.deep.equal([]);
    });

    it('deletes below a root, nested entries included', async () => {
      await remove(['level.dat', 'region'], undefined, '/world');
      expect(await names()).to.deep.equal(['a.txt', 'world']);
      await mkdir(at('x/y'), { recursive: true });
      await remove(['/x', '/x/y']);
      expect(await names()).to.deep.equal(['a.txt', 'world']);
    });

    it('deletes a link and keeps its target', async () => {
      await symlink('../../outside', at('out'));
      await symlink('world', at('in'));
      await mkdir(at('full'));
      await symlink('../../../outside', at('full/out'));
      await remove(['/out', '/in', '/full']);
      expect(await readdir(directory)).to.have.members(['a.txt', 'world']);
      expect(await readFile(at('world/level.dat'), 'utf8')).to.equal('level');
    });

    it('deletes one hard link and keeps the others', async () => {
      await link(at('a.txt'), at('b.txt'));
      await remove(['/a.txt']);
      expect(await readFile(at('b.txt'), 'utf8')).to.equal('a');
    });

    it('deletes nothing when one entry is missing, protected or the root', async () => {
      const before = await names();
      const grant = sign('file.delete', ['*.dat']);
      expect(await reasonOf(remove(['/a.txt', '/missing']))).to.equal('FILE_NOT_FOUND');
      for (const denied of ['/world/level.dat', '/world']) {
        expect(await reasonOf(remove(['/a.txt', denied], grant))).to.equal('FILE_DENIED');
      }
      for (const asked of ['/', '', '.', '..']) {
        expect(await reasonOf(remove(['/a.txt', asked]))).to.equal('INVALID_FIELDS');
        expect(await reasonOf(remove([asked], undefined, '/world'))).to.equal('INVALID_FIELDS');
      }
      expect(await names()).to.deep.equal(before);
    });

    it('accepts 1 to 100 entries', async () => {
      for (const files of [[], Array.from({ length: 101 }, () => 'a.txt')]) {
        expect(await reasonOf(remove(files))).to.equal('INVALID_FIELDS');
      }
    });

    it('accepts unusual names as they are listed', async () => {
      await writeFile(Buffer.concat([Buffer.from(`${directory}/odd`), Buffer.from([0xff, 0x0a])]), '');
      await remove(['/odd\ufffd\ufffd']);
      expect(await readdir(directory)).to.have.members(['a.txt', 'world']);
    });

    it('deletes once for 50 concurrent requests', async () => {
      const reasons = new Set(await Promise.all(Array.from({ length: 50 }, async () => reasonOf(remove(['/world'])))));
      expect([...reasons]).to.include('none');
      expect([...reasons].filter((reason) => !['none', 'FILE_NOT_FOUND'].includes(reason))).to.deep.equal([]);
      expect(await names()).to.deep.equal(['a.txt']);
    });

    it('releases the disk usage', async () => {
      await writeFile(at('big'), Buffer.alloc(1024 * 1024, 1));
      const { usedBytes } = await running.volumes.getVolumeUsage({ serverId });
      await remove(['/big']);
      expect((await running.volumes.getVolumeUsage({ serverId })).usedBytes).to.be.lessThan(
        usedBytes - 1024 * 1024 + 1,
      );
    });
  });
});
