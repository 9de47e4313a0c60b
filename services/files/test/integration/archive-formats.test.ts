import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { FileOperation_State as State } from '@panel/protos/files';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { archiveOf, hostileFormats, type TarEntry, tarOf, withChecksum, zipOf } from '../archive-files.js';
import { endOfOperation, runDecompression } from '../archive-operations.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('archives of other programs', function () {
  this.timeout(180_000);
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async function () {
    needPrograms(this, 'bsdtar', 'bzip2', 'xz', 'zstd', 'tar', 'iconv');
    running = await startTestFiles();
  });
  after(async () => running?.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const at = (...names: string[]) => path.join(directory, ...names);
  const decompress = async (file: string, more: { root?: string; overwrite?: boolean } = {}) =>
    runDecompression(running, serverId, { grant: running.grant(serverId, 'file.archive'), path: file, ...more });

  for (const format of ['tar', 'tar.gz', 'zip', '7z'] as const) {
    it(`keeps links inside the tree of a ${format}`, async () => {
      const entries: TarEntry[] = [
        { name: 'pkg/cli.js', content: 'run' },
        { name: 'node_modules/.bin/cli', type: 'symlink', linkname: '../../pkg/cli.js' },
        { name: 'current', type: 'symlink', linkname: 'pkg' },
        { name: 'dosdevices/c:', type: 'symlink', linkname: '../drive_c' },
        { name: 'missing', type: 'symlink', linkname: 'nowhere/to/be' },
      ];
      if (format.startsWith('tar')) entries.push({ name: 'hard.js', type: 'link', linkname: 'pkg/cli.js' });
      await writeFile(at('a'), (await archiveOf(format, entries)) ?? '');
      for (const overwrite of [false, true]) {
        expect(await decompress('/a', { root: '/out', overwrite })).to.include({ state: State.COMPLETED });
        expect(await readlink(at('out', 'node_modules', '.bin', 'cli'))).to.equal('../../pkg/cli.js');
        expect(await readFile(at('out', 'node_modules', '.bin', 'cli'), 'utf8')).to.equal('run');
        expect(await readlink(at('out', 'current'))).to.equal('pkg');
        expect(await readlink(at('out', 'dosdevices', 'c:'))).to.equal('../drive_c');
        expect((await lstat(at('out', 'current'))).uid).to.equal((await stat(directory)).uid);
        if (!format.startsWith('tar')) continue;
        expect((await stat(at('out', 'hard.js'))).ino).to.equal((await stat(at('out', 'pkg', 'cli.js'))).ino);
      }
      expect(await reasonOf(decompress('/a', { root: '/out' }))).to.equal('FILE_EXISTS');
    });
  }

  for (const name of ['a.zip', 'a.tar', 'a.tar.gz', 'a.tar.zst']) {
    it(`packs links inside into ${name}, and leaves out and counts others`, async () => {
      await mkdir(at('app', 'bin'), { recursive: true });
      await writeFile(at('app', 'main.js'), 'main');
      await symlink('../main.js', at('app', 'bin', 'run'));
      await symlink('.', at('app', 'größe'));
      await symlink('größe', at('app', 'current'));
      await symlink(`${'d/'.repeat(80)}f`, at('app', 'far'));
      await symlink('../../out', at('app', 'up'));
      await symlink('/etc/passwd', at('app', 'absolute'));
      const request = { grant: running.grant(serverId, 'file.archive'), root: '', files: ['app'], name };
      const { operation } = await running.files.compressFiles(request, { timeoutMs: 60_000 });
      const packed = await endOfOperation(running, serverId, operation?.id ?? '');
      expect(packed).to.include({ state: State.COMPLETED, entriesSkipped: 3 });
      await decompress(`/${name}`, { root: '/out' });
      const links = await Promise.all(
        ['bin/run', 'größe', 'current'].map(async (link) => readlink(at('out', 'app', link))),
      );
      expect(links).to.deep.equal(['../main.js', '.', 'größe']);
      expect((await readdir(at('out', 'app'))).toSorted()).to.deep.equal(['bin', 'current', 'größe', 'main.js']);
    });
  }

  for (const format of hostileFormats) {
    it(`extracts a ${format} of Wine or Java without its links to the outside, and counts them`, async () => {
      const links: Readonly<Record<string, string>> = {
        'prefix/dosdevices/c:': '../drive_c',
        'prefix/dosdevices/z:': '/',
        'jre/lib/security/cacerts': '/etc/ssl/certs/java/cacerts',
        'jre/up': '../..',
        top: '..',
      };
      const entries: TarEntry[] = [
        { name: 'prefix/drive_c/game.exe', content: 'game' },
        ...Object.entries(links).map(([name, linkname]): TarEntry => ({ name, type: 'symlink', linkname })),
        { name: 'jre/bin/java', content: 'java' },
      ];
      await writeFile(at('a'), (await archiveOf(format, entries)) ?? '');
      const extracted = await decompress('/a', { root: '/out' });
      expect(extracted).to.include({ state: State.COMPLETED, entriesDone: 3, entriesSkipped: 4 });
      const found = await readdir(at('out'), { recursive: true, withFileTypes: true });
      expect(found.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)).to.deep.equal(['c:']);
      expect(found.filter((entry) => entry.isFile()).map(({ name }) => name)).to.have.members(['game.exe', 'java']);
    });
  }

  it('replaces no file and no directory by a link', async () => {
    await writeFile(at('a.tar'), await tarOf({ name: 'l', type: 'symlink', linkname: 'x' }));
    await writeFile(at('l'), 'old');
    expect(await reasonOf(decompress('/a.tar', { overwrite: true }))).to.equal('NOT_A_FILE');
    expect(await readFile(at('l'), 'utf8')).to.equal('old');
  });

  for (const [charset, names] of [
    ['CP437', ['Größe.txt', 'Straße/Übersicht.txt']],
    ['CP932', ['ワールド/地図.txt', 'テスト.txt']],
    ['GBK', ['世界/地图.txt', '测试.txt']],
    ['UTF-8', ['größe.txt', '世界.txt']],
  ] as const) {
    it(`extracts a zip and a tar with names in ${charset}`, async () => {
      const encoded = names.map((name) => execFileSync('iconv', ['-t', charset], { input: name }));
      const plain = encoded.map((name, i) => ({ name, mode: 0o100644, content: Buffer.from(String(i)) }));
      const tar = await tarOf(...names.map((_, i) => ({ name: `n${i}`, content: String(i) })));
      for (const [i, name] of encoded.entries()) {
        const header = tar.subarray(i * 1024, i * 1024 + 512);
        header.fill(0, 0, 100);
        name.copy(header);
        withChecksum(header).copy(header);
      }
      for (const archive of [zipOf(plain, 0), tar]) {
        await writeFile(at('a'), archive);
        await decompress('/a', { root: '/out' });
        for (const [i, name] of names.entries()) expect(await readFile(at('out', name), 'utf8')).to.equal(String(i));
        await rm(at('out'), { recursive: true });
      }
    });
  }

  it('makes no two names of a zip one', async () => {
    const names = ['81ca', 'eef9', 'ff', 'fe'].map((hex) => Buffer.from(hex, 'hex'));
    const plain = names.map((name, i) => ({ name, mode: 0o100644, content: Buffer.from(String(i)) }));
    await writeFile(at('a.zip'), zipOf(plain, 0));
    await decompress('/a.zip', { root: '/out' });
    const contents = await Promise.all(
      (await readdir(at('out'))).map(async (name) => readFile(at('out', name), 'utf8')),
    );
    expect(contents.toSorted()).to.deep.equal(['0', '1', '2', '3']);
  });

  for (const [name, program] of [
    ['server.log.gz', 'gzip'],
    ['dump.sql.bz2', 'bzip2'],
    ['world.dat.xz', 'xz'],
    ['map.zst', 'zstd'],
  ] as const) {
    it(`extracts the single file in ${name}`, async () => {
      for (const content of ['what it holds', '']) {
        await writeFile(at(name), execFileSync(program, ['-c'], { input: content }));
        expect(await decompress(`/${name}`, { overwrite: true })).to.include({ state: State.COMPLETED });
        expect(await readFile(at(name.replace(/\.\w+$/, '')), 'utf8')).to.equal(content);
      }
    });
  }

  it('takes no compressed file that is no tar for one, whatever its name', async () => {
    for (const name of ['a.tar.gz', 'a.tgz', 'a.zip', 'a']) {
      await writeFile(at(name), gzipSync('hello'));
      expect(await reasonOf(decompress(`/${name}`)), name).to.equal('ARCHIVE_INVALID');
      await rm(at(name));
    }
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('extracts a tar of Unix V7', async () => {
    await mkdir(at('world'));
    await writeFile(at('world', 'level.dat'), 'level');
    await writeFile(at('run.sh'), '#!/bin/sh');
    execFileSync('tar', ['--format=v7', '-cf', at('a.tar'), '-C', directory, 'run.sh', 'world/level.dat']);
    await decompress('/a.tar', { root: '/out' });
    expect((await readdir(at('out'), { recursive: true })).toSorted()).to.deep.equal([
      'run.sh',
      'world',
      'world/level.dat',
    ]);
  });
});
