import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { newVolume, reasonOf, type RunningFiles, startTestFiles, writeAll } from '../harness.js';

describe('trash', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const at = (...names: string[]) => path.join(directory, ...names);
  const grant = (permission: string, diskLimitBytes = 0, denylist: string[] = []) =>
    running.grant(serverId, permission, { diskLimitBytes, denylist });
  const remove = async (...files: string[]) =>
    running.files.deleteFiles({ grant: grant('file.delete'), root: '', files });
  const list = async () => (await running.files.listTrash({ grant: grant('file.read') })).entries;
  const restore = async (trashId: string, to = '', restoring = grant('file.create')) =>
    running.files.restoreTrash({ grant: restoring, trashId, to });
  const firstId = async () => (await list())[0]?.id ?? '';

  it('keeps deleted files and directories, and restores them with their content', async () => {
    await mkdir(at('world'));
    await writeFile(at('world', 'level.dat'), Buffer.alloc(100_000, 1));
    await remove('/world');
    expect(await readdir(directory)).to.deep.equal([]);
    await waitUntil('the size', async () => ((await list())[0]?.sizeBytes ?? 0) >= 100_000);
    const [entry] = await list();
    expect(entry).to.include({ path: '/world', isDirectory: true });
    expect(Number(entry?.expireTime) - Number(entry?.deleteTime)).to.equal(24 * 3_600_000);
    expect((await restore(entry?.id ?? '')).path).to.equal('/world');
    expect(await readFile(at('world', 'level.dat'))).to.deep.equal(Buffer.alloc(100_000, 1));
    expect(await list()).to.deep.equal([]);
  });

  it('restores to another path with missing parents and never over an existing entry', async () => {
    await writeFile(at('a'), 'old');
    await remove('/a');
    await writeFile(at('a'), 'new');
    expect(await reasonOf(restore(await firstId()))).to.equal('FILE_EXISTS');
    expect((await restore(await firstId(), '/x/y/a')).path).to.equal('/x/y/a');
    expect(await readFile(at('x', 'y', 'a'), 'utf8')).to.equal('old');
    expect(await readFile(at('a'), 'utf8')).to.equal('new');
  });

  it('refuses restores outside the root, onto protected paths, beyond the disk limit and across servers', async () => {
    await writeFile(at('a'), Buffer.alloc(200_000, 1));
    await remove('/a');
    const id = await firstId();
    expect(await reasonOf(restore(id, '/../x'))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(restore(id, '/x.jar', grant('file.create', 0, ['*.jar'])))).to.equal('FILE_DENIED');
    expect(await reasonOf(restore(id, '', grant('file.create', 100_000)))).to.equal('DISK_LIMIT');
    const other = await newVolume(running);
    const foreign = running.grant(other.serverId, 'file.create');
    expect(await reasonOf(restore(id, '', foreign))).to.equal('TRASH_NOT_FOUND');
    expect(
      (await running.files.listTrash({ grant: running.grant(other.serverId, 'file.read') })).entries,
    ).to.have.length(0);
    expect(await list()).to.have.length(1);
  });

  it('restores no directory to where the egg protects what is in it', async () => {
    await mkdir(at('mine'));
    await writeFile(at('mine', 'config.yml'), 'mine');
    await remove('/mine');
    const id = await firstId();
    const denylist = ['/core/config.yml'];
    expect(await reasonOf(restore(id, '/core', grant('file.create', 0, denylist)))).to.equal('FILE_DENIED');
    expect(await readdir(directory)).to.deep.equal([]);
    expect(await reasonOf(restore(id, '', grant('file.create', 0, denylist)))).to.equal('none');
    expect(await readFile(at('mine', 'config.yml'), 'utf8')).to.equal('mine');
  });

  it('restores once for 50 concurrent requests', async () => {
    await writeFile(at('a'), 'x');
    await remove('/a');
    const id = await firstId();
    const reasons = await Promise.all(Array.from({ length: 50 }, async (_, i) => reasonOf(restore(id, `/copy${i}`))));
    expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
    expect(await readdir(directory)).to.have.length(1);
  });

  it('deletes the oldest entries of the trash when the disk limit needs their space', async () => {
    const limit = 1024 * 1024;
    for (const name of ['first', 'second']) {
      await writeFile(at(name), Buffer.alloc(400_000, 1));
      await remove(`/${name}`);
    }
    await writeAll(running, { grant: grant('file.update', limit), path: '/new' }, Buffer.alloc(400_000, 1));
    await waitUntil('the oldest to go', async () => (await list()).length === 1);
    expect((await list())[0]?.path).to.equal('/second');
    // the record goes before the bytes
    const bytes = path.join(running.dataRoot, 'deleted', serverId);
    await waitUntil('its bytes to go', async () => (await readdir(bytes)).length === 1);
  });

  it('empties the trash on request and deletes it with its volume', async () => {
    const bytes = path.join(running.dataRoot, 'deleted', serverId);
    for (const name of ['a', 'b']) await writeFile(at(name), 'x');
    await remove('/a', '/b');
    expect(await readdir(bytes)).to.have.length(2);
    await running.files.emptyTrash({ grant: grant('file.delete') });
    expect([await list(), await readdir(bytes)]).to.deep.equal([[], []]);
    await writeFile(at('c'), 'x');
    await remove('/c');
    await running.volumes.deleteVolume({ serverId });
    expect(await readdir(bytes)).to.deep.equal([]);
  });

  it('disables the trash by configuration', async () => {
    const off = await startTestFiles({ env: { TRASH_HOURS: '0', FILE_HISTORY_DAYS: '0' } });
    try {
      const volume = await newVolume(off);
      await writeFile(path.join(volume.directory, 'a'), 'old');
      const update = off.grant(volume.serverId, 'file.update');
      await writeAll(off, { grant: update, path: '/a' }, 'new');
      const read = off.grant(volume.serverId, 'file.read');
      expect((await off.files.listFileVersions({ grant: read, path: '/a' })).versions).to.deep.equal([]);
      await off.files.deleteFiles({ grant: off.grant(volume.serverId, 'file.delete'), root: '', files: ['/a'] });
      expect((await off.files.listTrash({ grant: read })).entries).to.deep.equal([]);
    } finally {
      await off.stop();
    }
  });
});

describe('what is kept of deleted and replaced files', () => {
  let aheadMs = 0;
  let running: RunningFiles;
  before(async () => {
    const clock = () => new Date(Date.now() + aheadMs);
    running = await startTestFiles({ clock, env: { TRASH_HOURS: '24', FILE_HISTORY_DAYS: '1' } });
  });
  after(async () => running.stop());

  it('removes an entry with its bytes when it has been kept long enough, and not before', async () => {
    const { serverId, directory } = await newVolume(running);
    const grant = (permission: string) => running.grant(serverId, permission);
    const replaceAndDelete = async (name: string) => {
      await writeFile(path.join(directory, name), 'deleted');
      await running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: [`/${name}`] });
      await writeAll(running, { grant: grant('file.update'), path: '/a.txt' }, `before ${name}`);
    };
    const read = grant('file.read');
    const deleted = async () => (await running.files.listTrash({ grant: read })).entries.map((entry) => entry.path);
    const versions = async () => (await running.files.listFileVersions({ grant: read, path: '/a.txt' })).versions;
    await writeFile(path.join(directory, 'a.txt'), 'first');
    await replaceAndDelete('early');
    aheadMs += 20 * 3_600_000;
    await replaceAndDelete('late');
    expect([(await deleted()).length, (await versions()).length]).to.deep.equal([2, 2]);
    aheadMs += 5 * 3_600_000;
    await running.restart();
    const stored = async (kind: string) => readdir(path.join(running.dataRoot, kind, serverId));
    await waitUntil('the sweeps', async () => {
      const left = [await deleted(), await versions(), await stored('deleted'), await stored('versions')];
      return left.every(({ length }) => length === 1);
    });
    expect(await deleted()).to.deep.equal(['/late']);
    expect(
      (
        await running.files.readFileVersion({
          grant: grant('file.read-content'),
          versionId: (await versions())[0]?.id ?? '',
        })
      ).content.toString(),
    ).to.equal('before early');
  });
});

describe('text file history', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const grant = (permission: string, denylist: string[] = []) => running.grant(serverId, permission, { denylist });
  const write = async (content: string | Buffer, name = '/a.txt') =>
    writeAll(running, { grant: grant('file.update'), path: name }, content);
  const list = async (name = '/a.txt') =>
    (await running.files.listFileVersions({ grant: grant('file.read'), path: name })).versions;
  const read = async (versionId: string) =>
    (await running.files.readFileVersion({ grant: grant('file.read-content'), versionId })).content.toString();

  it('keeps the replaced content of the last ten writes', async () => {
    for (let i = 0; i < 13; i += 1) await write(`content ${i}`);
    const versions = await list();
    expect(versions).to.have.length(10);
    expect(await Promise.all(versions.map(async ({ id }) => read(id)))).to.deep.equal(
      Array.from({ length: 10 }, (_, i) => `content ${11 - i}`),
    );
    expect(await readdir(path.join(running.dataRoot, 'versions', serverId))).to.have.length(10);
  });

  it('skips repeated content, binary files and files above 1 MiB', async () => {
    for (const content of ['same', 'same', 'same']) await write(content);
    expect(await list()).to.have.length(1);
    await write(Buffer.from([0, 1, 2]), '/b.bin');
    await write(Buffer.from([3, 0]), '/b.bin');
    expect(await list('/b.bin')).to.deep.equal([]);
    await write('x'.repeat(1024 * 1024 + 1), '/large');
    await write('small', '/large');
    expect(await list('/large')).to.deep.equal([]);
  });

  it('restores a version and keeps the replaced content as another', async () => {
    await write('one');
    await write('two');
    const [one] = await list();
    const restored = await running.files.restoreFileVersion({ grant: grant('file.update'), versionId: one?.id ?? '' });
    expect(restored.path).to.equal('/a.txt');
    expect(await readFile(path.join(directory, 'a.txt'), 'utf8')).to.equal('one');
    expect(await read((await list())[0]?.id ?? '')).to.equal('two');
  });

  it('takes no room beyond the disk limit, for which the oldest versions of a file make way', async () => {
    const limited = running.grant(serverId, 'file.update', { diskLimitBytes: 2 * 1024 * 1024 });
    const replace = async (character: string) =>
      writeAll(running, { grant: limited, path: '/a.txt' }, character.repeat(600_000));
    for (const character of 'abcdef') await replace(character);
    const versions = await list();
    expect((await Promise.all(versions.map(async ({ id }) => read(id)))).map(([first]) => first)).to.deep.equal([
      'e',
      'd',
    ]);
    // without space for a version, changes still succeed
    await writeAll(running, { grant: limited, path: '/fill' }, Buffer.alloc(200_000));
    await writeAll(running, { grant: limited, path: '/b.txt' }, 'b'.repeat(80_000));
    await writeAll(running, { grant: limited, path: '/b.txt' }, 'c'.repeat(80_000));
    expect(await list('/b.txt')).to.deep.equal([]);
    expect((await running.volumes.getVolumeUsage({ serverId, fresh: true })).usedBytes).to.be.at.most(2 * 1024 * 1024);
  });

  it('counts in the disk usage and is deleted with its volume', async () => {
    const used = async () => (await running.volumes.getVolumeUsage({ serverId })).usedBytes;
    await write('x'.repeat(500_000));
    await write('y');
    await running.files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['/a.txt'] });
    expect(await used()).to.be.at.least(500_000);
    await running.volumes.deleteVolume({ serverId });
    const gone = await stat(path.join(running.dataRoot, 'versions', serverId)).catch((error: unknown) => error);
    expect(gone).to.have.property('code', 'ENOENT');
  });

  it('closes the history of a text file to other servers, missing permissions and protected files', async () => {
    await write('one');
    await write('two');
    const versionId = (await list())[0]?.id ?? '';
    const other = await newVolume(running);
    const foreign = running.grant(other.serverId, 'file.read-content');
    expect(await reasonOf(running.files.readFileVersion({ grant: foreign, versionId }))).to.equal('VERSION_NOT_FOUND');
    expect(await reasonOf(running.files.readFileVersion({ grant: grant('file.read'), versionId }))).to.equal(
      'GRANT_INSUFFICIENT',
    );
    const denied = grant('file.read-content', ['*.txt']);
    expect(await reasonOf(running.files.readFileVersion({ grant: denied, versionId }))).to.equal('FILE_DENIED');
    const listing = running.files.listFileVersions({ grant: grant('file.read', ['*.txt']), path: '/a.txt' });
    expect(await reasonOf(listing)).to.equal('FILE_DENIED');
    const restoring = running.files.restoreFileVersion({ grant: grant('file.update', ['*.txt']), versionId });
    expect(await reasonOf(restoring)).to.equal('FILE_DENIED');
  });
});
