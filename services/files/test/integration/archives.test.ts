import { execFileSync } from 'node:child_process';
import {
  appendFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { FileOperation_State as State } from '@panel/protos/files';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { archiveOf, hostileFormats, packWith, rarOf, type TarEntry, tarOf, withChecksum } from '../archive-files.js';
import { endOfOperation, runDecompression } from '../archive-operations.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('archives', function () {
  this.timeout(180_000);
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async function () {
    needPrograms(this, 'bsdtar', 'bzip2', 'xz', 'zstd');
    running = await startTestFiles();
  });
  after(async () => running?.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const at = (...names: string[]) => path.join(directory, ...names);
  const grant = (diskLimitBytes = 0, denylist: string[] = [], permission = 'file.archive') =>
    running.grant(serverId, permission, { diskLimitBytes, denylist });
  const decompress = async (file: string, more: { root?: string; overwrite?: boolean; grant?: string } = {}) =>
    runDecompression(running, serverId, { grant: grant(), path: file, ...more });
  const finished = async (operationId: string) => endOfOperation(running, serverId, operationId);
  const compress = async (name: string, files: string[], more: { root?: string; grant?: string } = {}) => {
    const request = { grant: more.grant ?? grant(), root: more.root ?? '', files, name };
    const { operation } = await running.files.compressFiles(request, { timeoutMs: 60_000 });
    return finished(operation?.id ?? '');
  };
  const names = async (below = '') => (await readdir(path.join(directory, below), { recursive: true })).toSorted();
  const makeWorld = async () => {
    await mkdir(at('world', 'region'), { recursive: true });
    await writeFile(at('world', 'level.dat'), Buffer.alloc(300_000, 7), { mode: 0o640 });
    await writeFile(at('world', 'region', 'ünïcode é.mca'), 'region');
    await writeFile(at('run.sh'), '#!/bin/sh', { mode: 0o755 });
  };

  for (const name of ['a.zip', 'a.tar', 'a.tar.gz', 'a.tgz', 'a.tar.bz2', 'a.tar.xz', 'a.tar.zst']) {
    it(`packs ${name} and extracts it again with content, modes and times`, async () => {
      await makeWorld();
      const before = await stat(at('world', 'level.dat'));
      const made = await compress(name, ['world', '/run.sh']);
      expect(made).to.include({ state: State.COMPLETED, path: `/${name}`, bytesDone: 300_015, bytesTotal: 300_015 });
      const extracted = await decompress(`/${name}`, { root: '/out' });
      expect(extracted).to.include({ state: State.COMPLETED, path: '/out', bytesDone: 300_015 });
      expect(await names('out')).to.deep.equal([
        'run.sh',
        'world',
        'world/level.dat',
        'world/region',
        'world/region/ünïcode é.mca',
      ]);
      expect(await readFile(at('out', 'world', 'level.dat'))).to.deep.equal(Buffer.alloc(300_000, 7));
      const after = await stat(at('out', 'world', 'level.dat'));
      expect(after.mode & 0o777).to.equal(0o640);
      expect(Math.abs(after.mtimeMs - before.mtimeMs)).to.be.below(2_001);
      expect(after.uid).to.equal((await stat(directory)).uid);
    });
  }

  for (const name of ['a.zip', 'a.tar.gz']) {
    it(`packs a name that begins like a drive into ${name} and extracts it again`, async () => {
      await mkdir(at('d:'));
      await writeFile(at('C:top'), 'x');
      await compress(name, ['C:top', 'd:']);
      await decompress(`/${name}`, { root: '/out' });
      expect(await names('out')).to.deep.equal(['C:top', 'd:']);
    });
  }

  it('names an archive by its time where the caller names none', async () => {
    await writeFile(at('a.txt'), 'a');
    await compress('', ['a.txt']);
    const [name = ''] = (await readdir(directory)).filter((one) => one !== 'a.txt');
    expect(name).to.match(/^archive-\d{4}-\d{2}-\d{2}T\d{9}Z\.tar\.gz$/);
    expect((await readFile(at(name))).subarray(0, 2).toString('hex')).to.equal('1f8b');
  });

  it('extracts 7z archives', async () => {
    await makeWorld();
    await packWith(at('world'), at('a.7z'), ['--format', '7zip']);
    await decompress('/a.7z', { root: '/out' });
    expect(await names('out')).to.deep.equal(['level.dat', 'region', 'region/ünïcode é.mca']);
  });

  it('extracts rar archives', async () => {
    await writeFile(at('a.rar'), rarOf({ name: 'hello.txt', mode: 0o100644, content: Buffer.from('hello') }));
    await decompress('/a.rar');
    expect(await readFile(at('hello.txt'), 'utf8')).to.equal('hello');
  });

  it('extracts deflated zip archives of other programs', async () => {
    await makeWorld();
    await packWith(at('world'), at('a.zip'), ['--format', 'zip']);
    await decompress('/a.zip', { root: '/out' });
    expect(await names('out')).to.deep.equal(['level.dat', 'region', 'region/ünïcode é.mca']);
  });

  describe('extraction', () => {
    const file = (name: string, more: Partial<TarEntry> = {}): TarEntry => ({ name, content: 'gotcha', ...more });
    const symlinkTo = (name: string, linkname: string): TarEntry => ({ name, type: 'symlink', linkname });
    const cases: readonly (readonly [string, readonly TarEntry[]])[] = [
      ['a path with ..', [file('ok'), file('../evil')]],
      ['a path with .. in its middle', [file('a/../../evil')]],
      ['an absolute path', [file('/etc/evil')]],
      ['a drive letter', [file('C:/evil')]],
      ['backslashes', [file('..\\evil')]],
      ['control characters in a name', [file('a\nb')]],
      ['a name that reverses the direction of text', [file('a\u202eb')]],
      ['a name of 256 bytes', [file('x'.repeat(256))]],
      ['more than 64 levels', [file(`${'d/'.repeat(65)}f`)]],
      ['a symbolic link and a file below it', [{ name: 'l', type: 'symlink', linkname: '..' }, file('l/evil')]],
      ['a symbolic link to the outside and a file below it', [symlinkTo('l', '/etc'), file('l/evil')]],
      ['a symbolic link to the outside in the place of a directory', [file('d/f'), symlinkTo('d', '/etc')]],
      ['a symbolic link to the outside in the place of a file', [file('f'), symlinkTo('f', '/etc')]],
      ['a file in the place of a symbolic link to the outside', [symlinkTo('f', '/etc'), file('f')]],
      [
        'a hard link to a symbolic link to the outside',
        [symlinkTo('s', '/etc/passwd'), { name: 'h', type: 'link', linkname: 's' }],
      ],
      ['a symbolic link that climbs behind a name', [{ name: 'a/l', type: 'symlink', linkname: 'b/../../../evil' }]],
      ['a symbolic link below another', [symlinkTo('d', 'e'), symlinkTo('d/l', '..'), file('e/f')]],
      ['a symbolic link and a file through it', [file('e/f'), symlinkTo('d', 'e'), file('d/evil')]],
      ['a symbolic link in the place of a directory', [file('d/f'), symlinkTo('d', 'e')]],
      ['a symbolic link in the place of a file', [file('f'), symlinkTo('f', 'e')]],
      ['a symbolic link with a backslash', [symlinkTo('l', '..\\evil')]],
      ['a hard link to a symbolic link', [file('f'), symlinkTo('s', 'f'), { name: 'h', type: 'link', linkname: 's' }]],
      ['a hard link to a later file', [{ name: 'h', type: 'link', linkname: 'f' }, file('f')]],
      ['a hard link in the place of a file', [file('f'), file('g'), { name: 'g', type: 'link', linkname: 'f' }]],
      ['a hard link to the outside', [{ name: 'link', type: 'link', linkname: '/etc/passwd' }]],
      ['a character device', [{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }]],
      ['a block device', [{ name: 'sda', type: 'block-device', devmajor: 8, devminor: 0 }]],
      ['a pipe', [{ name: 'pipe', type: 'fifo' }]],
      ['the same file twice', [file('a'), file('a')]],
      ['the same file by two spellings', [file('a'), file('./a')]],
      ['a file in the place of a directory', [{ name: 'a', type: 'directory' }, file('a')]],
      ['a directory in the place of a file', [file('a'), file('a/b')]],
    ];
    const expectPlain = async (what: string) => {
      for (const name of await names()) {
        const stats = await lstat(at(name));
        expect(name, what).not.to.include('evil');
        const leads = stats.isSymbolicLink() ? await readlink(at(name)) : '';
        expect(leads, what).to.match(/^\w*$/);
        const isPlain = stats.isFile() || stats.isDirectory() || leads !== '';
        expect([isPlain, stats.nlink > 1 && stats.isFile()], what).to.deep.equal([true, false]);
        if (name !== 'a.bin') await rm(at(name), { recursive: true });
      }
    };
    for (const format of hostileFormats) {
      it(`leaves the volume unchanged when a ${format} holds what is not plain`, async () => {
        let refused = 0;
        for (const [what, entries] of cases) {
          const archive = await archiveOf(format, entries);
          if (!archive) continue;
          await writeFile(at('a.bin'), archive);
          const reason = await reasonOf(decompress('/a.bin'));
          expect(await readdir(running.dataRoot), what).not.to.include('evil');
          if (reason === 'none' && !format.startsWith('tar')) {
            // libarchive returns duplicates and entries the format lacks as plain files
            await expectPlain(what);
            continue;
          }
          refused += 1;
          const refusals = ['ARCHIVE_UNSAFE', 'FILE_NOT_FOUND', 'LINK_REFUSED'];
          if (!format.startsWith('tar')) refusals.push('ARCHIVE_INVALID');
          expect(reason, what).to.be.oneOf(refusals);
          expect(await names(), what).to.deep.equal(['a.bin']);
        }
        expect(refused).to.be.at.least(format.startsWith('tar') ? cases.length : 12);
      });

      it(`drops set-user-id bits of a ${format}`, async () => {
        await writeFile(at('a.bin'), (await archiveOf(format, [file('run', { mode: 0o6755 })])) ?? '');
        await decompress('/a.bin');
        expect((await stat(at('run'))).mode & 0o7777).to.equal(0o755);
      });
    }

    it('leaves the volume unchanged when the archive is an mtree specification with host files', async () => {
      const mtree = '#mtree\n./stolen type=file contents=/etc/passwd size=100\n';
      for (const content of [Buffer.from(mtree), gzipSync(mtree)]) {
        await writeFile(at('a.zip'), content);
        expect(await reasonOf(decompress('/a.zip'))).to.equal('ARCHIVE_INVALID');
        expect(await names()).to.deep.equal(['a.zip']);
      }
    });

    it('leaves the volume unchanged when the archive is truncated, damaged, encrypted, empty or not an archive', async () => {
      await makeWorld();
      await compress('a.zip', ['world']);
      await compress('a.tar.gz', ['world']);
      const [zip, tarGz] = [await readFile(at('a.zip')), await readFile(at('a.tar.gz'))];
      await packWith(at('world'), at('e.zip'), [
        '--format',
        'zip',
        '--options',
        'encryption=zipcrypt',
        '--passphrase',
        'p',
      ]);
      const encrypted = await readFile(at('e.zip'));
      await rm(directory, { recursive: true });
      await mkdir(directory);
      const damaged = Buffer.from(tarGz);
      damaged.fill(0xff, 40, 60);
      for (const content of [
        zip.subarray(0, 300),
        tarGz.subarray(0, 200),
        damaged,
        encrypted,
        Buffer.alloc(0),
        Buffer.from('hello'),
        gzipSync('hello'),
      ]) {
        await writeFile(at('a'), content);
        expect(await reasonOf(decompress('/a')), String(content.length)).to.equal('ARCHIVE_INVALID');
        expect(await names()).to.deep.equal(['a']);
      }
    });

    it('stops at the expansion ratio of a bomb long before it is extracted', async () => {
      const bomb = gzipSync(await tarOf({ name: 'zeros', content: Buffer.alloc(100 * 1024 * 1024) }));
      await writeFile(at('a.tar.gz'), bomb);
      expect(await reasonOf(decompress('/a.tar.gz'))).to.equal('ARCHIVE_LIMIT');
      expect(await names()).to.deep.equal(['a.tar.gz']);
    });

    it('stops at the expansion ratio of what programs read, too', async () => {
      const zeros = { name: 'zeros', content: Buffer.alloc(70 * 1024 * 1024) };
      await writeFile(at('a'), (await archiveOf('tar.zst', [zeros])) ?? '');
      expect(await reasonOf(decompress('/a'))).to.equal('ARCHIVE_LIMIT');
      await mkdir(at('d'));
      await writeFile(at('d', 'zeros'), zeros.content);
      await packWith(at('d'), at('a'), ['--format', 'zip']);
      await rm(at('d'), { recursive: true });
      expect(await reasonOf(decompress('/a'))).to.equal('ARCHIVE_LIMIT');
      expect(await names()).to.deep.equal(['a']);
    });

    it('reads no endless or huge description of an entry', async () => {
      const headerOf = async (type: string, size: string) => {
        const head = Buffer.from((await tarOf({ name: 'x', content: '' })).subarray(0, 512));
        head.write(size, 124, 'latin1');
        head.write(type, 156, 'latin1');
        return withChecksum(head);
      };
      const cases: [string, Buffer][] = [
        ['ARCHIVE_LIMIT', Buffer.alloc(6 * 1024 * 1024)],
        ['ARCHIVE_LIMIT', Buffer.alloc(6 * 1024 * 1024, await headerOf('g', '00000000000'))],
      ];
      for (const type of ['x', 'g', 'L', 'K']) {
        const header = await headerOf(type, '07777777777');
        cases.push(['ARCHIVE_INVALID', Buffer.concat([header, Buffer.alloc(5 * 1024 * 1024)])]);
      }
      for (const [expected, rest] of cases) {
        const tar = Buffer.concat([(await tarOf(file('first'))).subarray(0, 1024), rest]);
        await writeFile(at('a.tar.gz'), gzipSync(tar, { level: 1 }));
        expect(await reasonOf(decompress('/a.tar.gz'))).to.equal(expected);
        expect(await names()).to.deep.equal(['a.tar.gz']);
      }
    });

    it('gives no program the memory that an archive asks for', async () => {
      const tar = await tarOf(file('f'));
      for (const [level, expected] of [
        ['-9e', 'none'],
        ['huge', 'ARCHIVE_INVALID'],
      ] as const) {
        const archive = execFileSync('xz', ['-c', level === 'huge' ? '-9' : level], { input: tar });
        if (level === 'huge') {
          // dictionary size in the first block header: 512 MiB
          archive.writeUInt8(34, 16);
          archive.writeUInt32LE(crc32(archive.subarray(12, 20)), 20);
        }
        await writeFile(at('a'), archive);
        expect(await reasonOf(decompress('/a')), level).to.equal(expected);
        await rm(at('f'), { force: true });
      }
    });

    it('counts the descriptions of entries for the expansion ratio', async () => {
      const pax = { comment: 'x'.repeat(900_000) };
      const tars = await Promise.all(Array.from({ length: 120 }, async (_, i) => tarOf({ name: `f${i}`, pax })));
      await writeFile(at('a.tar.gz'), gzipSync(Buffer.concat(tars.map((tar) => tar.subarray(0, -1024)))));
      const error = await decompress('/a.tar.gz').catch((cause: unknown) => cause);
      expect(error).to.include({ reason: 'ARCHIVE_LIMIT' });
      expect(error).to.have.property('message').that.includes('implausibly large');
      expect(await names()).to.deep.equal(['a.tar.gz']);
    });

    for (const format of ['gnu', 'posix --sparse-version=0.0', 'posix --sparse-version=0.1', 'posix']) {
      it(`extracts no part of a sparse file as the whole of it (--format=${format})`, async () => {
        await writeFile(at('sparse'), '');
        await truncate(at('sparse'), 8 * 1024 * 1024);
        await appendFile(at('sparse'), 'end');
        const options = [...`--format=${format}`.split(' '), '--sparse'];
        execFileSync('tar', [...options, '-cf', at('a.tar'), '-C', directory, 'sparse']);
        await rm(at('sparse'));
        expect(await reasonOf(decompress('/a.tar'))).to.be.oneOf(['ARCHIVE_INVALID', 'ARCHIVE_UNSAFE']);
        expect(await names()).to.deep.equal(['a.tar']);
      });
    }

    it('gives no image of a disk and no tar to libarchive that looks like a zip, 7z or rar', async () => {
      await mkdir(at('d'));
      await writeFile(at('d', 'f'), 'x');
      await packWith(at('d'), at('a.iso'), ['--format', 'iso9660']);
      const [iso, tar] = [await readFile(at('a.iso')), await tarOf(file('PKxx'))];
      await rm(at('d'), { recursive: true });
      await rm(at('a.iso'));
      for (const signature of ['504b0304', '504b0506', '377abcaf271c', '526172211a0700']) {
        iso.write(signature, 0, 'hex');
        tar.write(signature, 0, 'hex');
        for (const disguised of [iso, withChecksum(tar.subarray(0, 512))]) {
          await writeFile(at('a.zip'), disguised);
          const error = await decompress('/a.zip').catch((cause: unknown) => cause);
          expect(error, signature).to.include({
            reason: 'ARCHIVE_INVALID',
            message: 'this archive is of two kinds at once',
          });
        }
      }
      expect(await names()).to.deep.equal(['a.zip']);
    });

    it('counts every entry, also those that stand for the root', async () => {
      const one = (await tarOf({ name: './', type: 'directory' })).subarray(0, 512);
      await writeFile(at('a.tar.gz'), gzipSync(Buffer.alloc(100_001 * 512, one), { level: 1 }));
      const error = await decompress('/a.tar.gz').catch((cause: unknown) => cause);
      expect(error).to.include({ reason: 'ARCHIVE_LIMIT', message: 'the archive holds too many entries' });
    });

    it('ends at once when an entry is announced larger than the archive', async () => {
      const [head, rest] = await tarOf(file('huge')).then((tar) => [tar.subarray(0, 512), tar.subarray(512)] as const);
      head.write('77777777777', 124, 'latin1');
      await writeFile(at('a.tar'), Buffer.concat([withChecksum(head), rest]));
      expect(await reasonOf(decompress('/a.tar'))).to.equal('ARCHIVE_INVALID');
      expect(await names()).to.deep.equal(['a.tar']);
    });

    it('leaves the volume unchanged above the disk limit, by content or entry count', async () => {
      await writeFile(at('a.tar'), await tarOf({ name: 'f', content: Buffer.alloc(2 * 1024 * 1024, 1) }));
      const limited = grant(3 * 1024 * 1024);
      expect(await reasonOf(decompress('/a.tar', { grant: limited }))).to.equal('DISK_LIMIT');
      const tiny = Array.from({ length: 300 }, (_, i) => ({ name: `d${i}`, type: 'directory' as const }));
      await writeFile(at('a.tar'), await tarOf(...tiny));
      expect(await reasonOf(decompress('/a.tar', { grant: grant(1024 * 1024) }))).to.equal('DISK_LIMIT');
      expect(await names()).to.deep.equal(['a.tar']);
    });

    it('counts the directories that no entry names', async () => {
      const deep = Array.from({ length: 10 }, (_, i) => file(`${i}/${'d/'.repeat(62)}f`));
      await writeFile(at('a.tar'), await tarOf(...deep));
      expect(await reasonOf(decompress('/a.tar', { grant: grant(2 * 1024 * 1024) }))).to.equal('DISK_LIMIT');
      expect(await names()).to.deep.equal(['a.tar']);
    });

    it('leaves the volume unchanged when something else is in the place of a directory', async () => {
      await mkdir(at('e'));
      await writeFile(at('f'), 'old');
      await symlink('e', at('l'));
      const before = ['a.tar', 'e', 'f', 'l'];
      for (const [name, reason] of [
        ['l', 'LINK_REFUSED'],
        ['f', 'NOT_A_DIRECTORY'],
      ] as const) {
        for (const last of [file(`${name}/x`), file(`${name}/y/x`), { name, type: 'directory' as const }]) {
          await writeFile(at('a.tar'), await tarOf({ name: 'new', type: 'directory' }, file('first'), last));
          for (const overwrite of [false, true]) {
            expect(await reasonOf(decompress('/a.tar', { overwrite })), last.name).to.equal(reason);
            expect(await names(), last.name).to.deep.equal(before);
          }
        }
      }
    });

    it('leaves the volume unchanged when the archive holds a protected or existing file', async () => {
      await writeFile(at('a.tar'), await tarOf({ name: 'new', content: 'x' }, { name: 'd/server.jar', content: 'x' }));
      expect(await reasonOf(decompress('/a.tar', { grant: grant(0, ['*.jar']) }))).to.equal('FILE_DENIED');
      await mkdir(at('d'));
      await writeFile(at('d', 'server.jar'), 'old');
      const error = await decompress('/a.tar').catch((cause: unknown) => cause);
      expect(isAppError(error, 'FILE_EXISTS') && error.metadata).to.deep.equal({ path: 'd/server.jar' });
      expect(await names()).to.deep.equal(['a.tar', 'd', 'd/server.jar']);
    });
  });

  it('replaces existing files only when requested', async () => {
    await writeFile(at('a.tar'), await tarOf({ name: 'f', content: 'new' }));
    await writeFile(at('f'), 'old');
    await decompress('/a.tar', { overwrite: true });
    expect(await readFile(at('f'), 'utf8')).to.equal('new');
  });

  it('keeps the content of the text files that it replaces', async () => {
    await mkdir(at('config', 'below'), { recursive: true });
    await writeFile(at('config', 'below', 'a.yml'), 'old');
    await writeFile(at('a.tar'), await tarOf({ name: 'below/a.yml', content: 'new' }, { name: 'b.yml', content: 'b' }));
    await decompress('/a.tar', { root: '/config', overwrite: true });
    const listing = { grant: grant(0, [], 'file.read'), path: '/config/below/a.yml' };
    const { versions } = await running.files.listFileVersions(listing);
    expect(versions).to.have.length(1);
    const versionId = versions[0]?.id ?? '';
    const { content } = await running.files.readFileVersion({ grant: grant(0, [], 'file.read-content'), versionId });
    expect(String(content)).to.equal('old');
  });

  it('never follows a link in place of a directory', async () => {
    const outside = path.join(running.dataRoot, 'outside');
    await mkdir(outside, { recursive: true });
    await symlink(outside, at('d'));
    await writeFile(at('a.tar'), await tarOf({ name: 'd/evil', content: 'x' }));
    for (const overwrite of [false, true]) {
      expect(await reasonOf(decompress('/a.tar', { overwrite }))).to.equal('LINK_REFUSED');
    }
    expect(await readdir(outside)).to.deep.equal([]);
  });

  it('skips and counts links and protected files when packing', async () => {
    await makeWorld();
    await writeFile(path.join(running.dataRoot, 'secret'), 'secret');
    await symlink('../../../secret', at('world', 'link'));
    const made = await compress('a.tar', ['world'], { grant: grant(0, ['level.dat']) });
    expect(made?.entriesSkipped).to.equal(2);
    const bytes = await readFile(at('a.tar'));
    expect(bytes.includes('secret')).to.equal(false);
    expect(bytes.includes('level.dat')).to.equal(false);
  });

  it('requires a new name with a known extension and respects the disk limit', async () => {
    await makeWorld();
    await writeFile(at('a.zip'), 'old');
    expect(await reasonOf(compress('a.zip', ['world']))).to.equal('FILE_EXISTS');
    expect(await reasonOf(compress('b.tar', ['world'], { grant: grant(500_000) }))).to.equal('DISK_LIMIT');
    expect(await reasonOf(compress('b.rar', ['world']))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(compress('b.zip', ['missing']))).to.equal('FILE_NOT_FOUND');
    expect(await reasonOf(compress('b.zip', []))).to.equal('INVALID_FIELDS');
    expect(await names()).to.deep.equal([
      'a.zip',
      'run.sh',
      'world',
      'world/level.dat',
      'world/region',
      'world/region/ünïcode é.mca',
    ]);
  });

  it('requires the permission file.archive', async () => {
    for (const permission of ['file.read', 'file.update', '*']) {
      const wrong = grant(0, [], permission);
      expect(await reasonOf(compress('a.zip', ['x'], { grant: wrong }))).to.equal('GRANT_INSUFFICIENT');
      expect(await reasonOf(decompress('/a.zip', { grant: wrong }))).to.equal('GRANT_INSUFFICIENT');
    }
  });

  it('leaves nothing when it is cancelled, and is listed', async () => {
    await writeFile(at('big'), Buffer.alloc(1));
    await import('node:fs/promises').then(async ({ truncate }) => truncate(at('big'), 20 * 1024 ** 3));
    const started = reasonOf(
      running.files.compressFiles({ grant: grant(), root: '', files: ['big'], name: 'a.tar.xz' }),
    );
    const list = async () => (await running.files.listFileOperations({ grant: grant(0, [], 'file.read') })).operations;
    await waitUntil('progress', async () => ((await list())[0]?.bytesDone ?? 0) > 0);
    const operationId = (await list())[0]?.id ?? '';
    const { operation } = await running.files.cancelFileOperation({ grant: grant(), operationId });
    expect(operation?.state).to.equal(State.CANCELLED);
    expect(await started).to.equal('OPERATION_CANCELLED');
    expect(await names()).to.deep.equal(['big']);
    const other = await newVolume(running);
    const foreign = running.grant(other.serverId, 'file.read');
    expect(await reasonOf(running.files.getFileOperation({ grant: foreign, operationId }))).to.equal(
      'OPERATION_NOT_FOUND',
    );
  });
});
