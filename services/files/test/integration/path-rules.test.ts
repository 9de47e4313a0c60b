import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PathRule } from '@panel/rpc';
import { expect } from 'chai';
import { newVolume, readAll, reasonOf, type RunningFiles, startTestFiles, writeAll } from '../harness.js';

const forbidden = 'PATH_FORBIDDEN';

describe('files of a subuser with path rules', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    for (const name of ['plugins', 'config', 'secret/deep', 'mixed/inner']) {
      await mkdir(at(name), { recursive: true });
    }
    for (const name of [
      'plugins/a.txt',
      'config/c.txt',
      'secret/s.txt',
      'secret/deep/d.txt',
      'mixed/m.txt',
      'mixed/inner/i.txt',
    ]) {
      await writeFile(at(name), `content of ${name}`);
    }
  });

  const at = (...names: string[]) => path.join(directory, ...names);
  const rules: readonly PathRule[] = [
    { path: '/', access: 'read_only' },
    { path: '/plugins', access: 'allow' },
    { path: '/mixed', access: 'allow' },
    { path: '/mixed/inner', access: 'read_only' },
    { path: '/secret', access: 'deny' },
  ];
  const grant = (permission: string, lists: readonly (readonly PathRule[])[] = [rules]) =>
    running.grant(serverId, permission, { pathRules: lists });
  const names = async (of: string, lists?: readonly (readonly PathRule[])[]) => {
    const { entries } = await running.files.listDirectory({
      grant: grant('file.read', lists),
      directory: of,
      page: undefined,
    });
    return entries.map(({ name }) => name);
  };
  const read = async (file: string) =>
    (await readAll(running, { grant: grant('file.read-content'), path: file })).toString();
  const write = async (file: string) => writeAll(running, { grant: grant('file.update'), path: file }, 'new');
  it('reads what is allowed or read-only, and lists nothing that is denied', async () => {
    expect(await read('/plugins/a.txt')).to.equal('content of plugins/a.txt');
    expect(await read('/config/c.txt')).to.equal('content of config/c.txt');
    expect(await names('/')).to.deep.equal(['config', 'mixed', 'plugins']);
    for (const denied of ['/secret', '/secret/deep']) expect(await reasonOf(names(denied))).to.equal(forbidden);
    for (const denied of ['/secret/s.txt', '/secret/deep/d.txt'])
      expect(await reasonOf(read(denied))).to.equal(forbidden);
    // also hides existence
    expect(await reasonOf(read('/secret/nothing.txt'))).to.equal(forbidden);
  });

  it('writes only where it is allowed', async () => {
    await write('/plugins/new.txt');
    await write('/plugins/new/deep.txt');
    for (const file of ['/config/c.txt', '/new.txt', '/secret/s.txt', '/mixed/inner/i.txt']) {
      expect(await reasonOf(write(file)), file).to.equal(forbidden);
    }
    const make = async (of: string) => running.files.createDirectory({ grant: grant('file.create'), path: of });
    await make('/plugins/dir');
    for (const of of ['/dir', '/config/dir', '/secret/dir']) expect(await reasonOf(make(of)), of).to.equal(forbidden);
    const chmod = async (file: string) =>
      running.files.chmodFiles({ grant: grant('file.update'), root: '', files: [{ path: file, mode: 0o600 }] });
    await chmod('/plugins/a.txt');
    expect(await reasonOf(chmod('/config/c.txt'))).to.equal(forbidden);
  });

  it('moves, copies and deletes within what is allowed only', async () => {
    const move = async (from: string, to: string) =>
      running.files.renameFiles({ grant: grant('file.update'), root: '', files: [{ from, to }] });
    await move('/plugins/a.txt', '/plugins/b.txt');
    for (const [from, to] of [
      ['/config/c.txt', '/plugins/c.txt'],
      ['/plugins/b.txt', '/config/b.txt'],
      ['/secret', '/plugins/secret'],
      ['/secret/s.txt', '/plugins/s.txt'],
      ['/mixed', '/plugins/mixed'],
    ] as const) {
      expect(await reasonOf(move(from, to)), from).to.equal(forbidden);
    }
    const copy = async (from: string, to: string) =>
      running.files.copyFile({ grant: grant('file.create'), path: from, to });
    await copy('/config/c.txt', '/plugins/c.txt');
    for (const [from, to] of [
      ['/plugins/b.txt', '/config/b.txt'],
      ['/config/c.txt', ''],
      ['/secret/s.txt', '/plugins/s.txt'],
    ] as const) {
      expect(await reasonOf(copy(from, to)), from).to.equal(forbidden);
    }
    const remove = async (...paths: string[]) =>
      running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: paths });
    for (const file of ['/config', '/config/c.txt', '/secret', '/mixed', '/mixed/inner/i.txt']) {
      expect(await reasonOf(remove(file)), file).to.equal(forbidden);
    }
    await remove('/plugins/b.txt', '/mixed/m.txt');
    expect(await readdir(at('plugins'))).to.deep.equal(['c.txt']);
    expect(await readFile(at('secret', 's.txt'), 'utf8')).to.equal('content of secret/s.txt');
  });

  it('follows no link to where the rules do not lead', async () => {
    await symlink('../secret', at('plugins', 'out'));
    await symlink('../secret/s.txt', at('plugins', 'file'));
    await symlink('../config/c.txt', at('plugins', 'readable'));
    for (const file of ['/plugins/out/s.txt', '/plugins/file'])
      expect(await reasonOf(read(file)), file).to.equal(forbidden);
    expect(await reasonOf(names('/plugins/out'))).to.equal(forbidden);
    expect(await reasonOf(write('/plugins/out/new.txt'))).to.equal(forbidden);
    expect(await read('/plugins/readable')).to.equal('content of config/c.txt');
  });

  it('searches and packs only what may be read, and unpacks only where it may be written', async () => {
    const found: string[] = [];
    const search = { grant: grant('file.read-content'), root: '', name: '', content: 'content of', limit: 0 };
    for await (const { part } of running.files.searchFiles(search)) {
      if (part?.$case === 'match') found.push(part.value.path);
    }
    expect(found.toSorted()).to.deep.equal(['/config/c.txt', '/mixed/inner/i.txt', '/mixed/m.txt', '/plugins/a.txt']);
    const pack = async (paths: string[], name: string) =>
      (await running.files.compressFiles({ grant: grant('file.archive'), root: '', files: paths, name })).operation;
    expect((await pack(['config', 'mixed'], 'plugins/all.tar.gz'))?.state).to.equal('STATE_COMPLETED');
    for (const [paths, name] of [
      [['config'], 'all.zip'],
      [['secret'], 'plugins/secret.zip'],
    ] as const) {
      expect(await reasonOf(pack([...paths], name)), name).to.equal(forbidden);
    }
    const unpack = async (root: string) =>
      (
        await running.files.decompressFile({
          grant: grant('file.archive'),
          path: '/plugins/all.tar.gz',
          root,
          overwrite: true,
        })
      ).operation;
    expect((await unpack('/plugins/out'))?.state).to.equal('STATE_COMPLETED');
    expect(await readFile(at('plugins', 'out', 'config', 'c.txt'), 'utf8')).to.equal('content of config/c.txt');
    expect(await reasonOf(unpack('/'))).to.equal(forbidden);
    const { operations } = await running.files.listFileOperations({ grant: grant('file.read') });
    expect(operations.some(({ path: of }) => of.startsWith('/secret'))).to.equal(false);
  });

  it('hides a file operation on what is denied, and cancels it for nobody who may not see it', async () => {
    const all = (permission: string) => running.grant(serverId, permission);
    const packed = { grant: all('file.archive'), root: '', files: ['secret/s.txt'], name: 'secret/a.zip' };
    const operationId = (await running.files.compressFiles(packed)).operation?.id ?? '';
    const seen = await running.files.getFileOperation({ grant: all('file.read'), operationId });
    expect(seen.operation?.path).to.equal('/secret/a.zip');
    for (const call of [
      async () => running.files.getFileOperation({ grant: grant('file.read'), operationId }),
      async () => running.files.cancelFileOperation({ grant: grant('file.archive'), operationId }),
    ]) {
      expect(await reasonOf(call())).to.equal('OPERATION_NOT_FOUND');
    }
  });

  it('restores no directory to where other rules hold for what is in it', async () => {
    await mkdir(at('plugins/mine/inner'), { recursive: true });
    const lists = [rules, [{ path: '/plugins/new/inner', access: 'read_only' }]] as const;
    await running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['/plugins/mine'] });
    const [entry] = (await running.files.listTrash({ grant: grant('file.read') })).entries;
    const restore = async (to: string) =>
      running.files.restoreTrash({ grant: grant('file.create', lists), trashId: entry?.id ?? '', to });
    expect(await reasonOf(restore('/plugins/new'))).to.equal(forbidden);
    expect(await reasonOf(restore('/plugins/other'))).to.equal('none');
  });

  it('hides the trash of what is denied, restores nothing out of it, and frees nothing of it', async () => {
    const all = (permission: string) => running.grant(serverId, permission);
    const gone = ['/secret/s.txt', '/config/c.txt', '/plugins/a.txt', '/mixed'];
    await running.files.deleteFiles({ grant: all('file.delete'), root: '', files: gone });
    const { entries } = await running.files.listTrash({ grant: all('file.read') });
    const idOf = (name: string) => entries.find((entry) => entry.path === name)?.id ?? '';
    const shown = (await running.files.listTrash({ grant: grant('file.read') })).entries.map((entry) => entry.path);
    expect(shown.toSorted()).to.deep.equal(['/config/c.txt', '/mixed', '/plugins/a.txt']);
    const restore = async (name: string, to = '') =>
      running.files.restoreTrash({ grant: grant('file.create'), trashId: idOf(name), to });
    expect(await reasonOf(restore('/secret/s.txt'))).to.equal(forbidden);
    expect(await reasonOf(restore('/secret/s.txt', '/plugins/s.txt'))).to.equal(forbidden);
    expect(await reasonOf(restore('/mixed', '/plugins/mixed'))).to.equal(forbidden);
    expect(await reasonOf(restore('/config/c.txt'))).to.equal(forbidden);
    expect((await restore('/config/c.txt', '/plugins/c.txt')).path).to.equal('/plugins/c.txt');
    await running.files.emptyTrash({ grant: grant('file.delete') });
    const left = (await running.files.listTrash({ grant: all('file.read') })).entries.map((entry) => entry.path);
    expect(left.toSorted()).to.deep.equal(['/mixed', '/secret/s.txt']);
  });

  it('shows and restores the history of allowed files only', async () => {
    const all = (permission: string) => running.grant(serverId, permission);
    const versionOf = async (file: string) => {
      await writeAll(running, { grant: all('file.update'), path: file }, 'changed');
      return (await running.files.listFileVersions({ grant: all('file.read'), path: file })).versions[0]?.id ?? '';
    };
    const [secret, config, plugin] = await Promise.all(
      ['/secret/s.txt', '/config/c.txt', '/plugins/a.txt'].map(versionOf),
    );
    const list = async (file: string) => running.files.listFileVersions({ grant: grant('file.read'), path: file });
    const show = async (versionId = '') =>
      running.files.readFileVersion({ grant: grant('file.read-content'), versionId });
    const restore = async (versionId = '') =>
      running.files.restoreFileVersion({ grant: grant('file.update'), versionId });
    expect(await reasonOf(list('/secret/s.txt'))).to.equal(forbidden);
    expect(await reasonOf(show(secret))).to.equal(forbidden);
    expect(await reasonOf(restore(secret))).to.equal(forbidden);
    expect((await show(config)).content.toString()).to.equal('content of config/c.txt');
    expect(await reasonOf(restore(config))).to.equal(forbidden);
    expect((await restore(plugin)).path).to.equal('/plugins/a.txt');
  });

  it('shows the way to an allowed directory, and nothing beside it', async () => {
    const only: readonly PathRule[] = [
      { path: '/', access: 'deny' },
      { path: '/secret/deep', access: 'allow' },
    ];
    expect(await names('/', [only])).to.deep.equal(['secret']);
    expect(await names('/secret', [only])).to.deep.equal(['deep']);
    expect(await names('/secret/deep', [only])).to.deep.equal(['d.txt']);
    expect(await reasonOf(names('/plugins', [only]))).to.equal(forbidden);
  });

  it('applies every list of path rules of a grant', async () => {
    const other: readonly PathRule[] = [{ path: '/plugins', access: 'deny' }];
    expect(await names('/', [rules, other])).to.deep.equal(['config', 'mixed']);
    const both = grant('file.update', [rules, other]);
    expect(await reasonOf(writeAll(running, { grant: both, path: '/plugins/x' }, 'x'))).to.equal(forbidden);
  });
});
