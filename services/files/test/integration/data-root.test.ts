import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { backUp, restore, serverWith } from '../backup-work.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('a data root that is another one', () => {
  let running: RunningFiles;
  beforeEach(async () => (running = await startTestFiles()));
  afterEach(async () => running.stop());

  /** As when its disk is unmounted: the directory below it appears. */
  const unmount = async (directory: string) => {
    await rename(directory, `${directory}.away`);
    await mkdir(directory);
    return async () => {
      await rm(directory, { recursive: true });
      await rename(`${directory}.away`, directory);
    };
  };
  const failure = async (start: () => Promise<unknown>) => start().then(String, (error: unknown) => error);

  it('keeps its identity on its disk', async () => {
    const { dataRootId, systemTime } = await running.volumes.getDataRoot({});
    expect(Math.abs(Number(systemTime) - Date.now())).to.be.below(5_000);
    await running.restart();
    expect((await running.volumes.getDataRoot({})).dataRootId).to.equal(dataRootId);
    expect(dataRootId).to.match(/^[0-9a-f-]{36}$/);
  });

  it('keeps the latest epoch on its disk, of any number of callers', async () => {
    const { dataRootId } = await running.volumes.getDataRoot({});
    const epochOf = async () => (await running.volumes.getDataRoot({})).epoch;
    const advance = async (epoch: number, id = dataRootId) => running.volumes.advanceEpoch({ epoch, dataRootId: id });
    expect(await epochOf()).to.equal(0);
    await Promise.all(Array.from({ length: 50 }, async (_, at) => advance(50 - at)));
    await running.restart();
    expect(await epochOf()).to.equal(50);
    for (const epoch of [0, -1]) expect(await reasonOf(advance(epoch))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(advance(51, randomUUID()))).to.equal('DATA_ROOT_GONE');
    expect(await epochOf()).to.equal(50);
  });

  it('opens the volume of an installed server, and makes none in its place', async () => {
    const { serverId, directory } = await newVolume(running);
    expect(await running.volumes.openVolume({ serverId })).to.deep.include({ path: directory });
    expect(await reasonOf(running.volumes.openVolume({ serverId: randomUUID() }))).to.equal('VOLUME_NOT_FOUND');
    expect(await readdir(path.join(running.dataRoot, 'servers'))).to.deep.equal([serverId]);
  });

  it('refuses every call while the disk is away, and answers when it is back', async () => {
    const { serverId } = await newVolume(running);
    const grant = running.grant(serverId, 'file.read');
    const { dataRootId } = await running.volumes.getDataRoot({});
    const putBack = await unmount(running.dataRoot);
    const calls = [
      async () => running.volumes.getDataRoot({}),
      async () => running.volumes.advanceEpoch({ epoch: 7, dataRootId }),
      async () => running.volumes.openVolume({ serverId }),
      async () => running.volumes.createVolume({ serverId }),
      async () => running.volumes.deleteVolume({ serverId }),
      async () => running.files.listDirectory({ grant, directory: '/', page: undefined }),
    ];
    for (const call of calls) expect(await reasonOf(call())).to.equal('DATA_ROOT_GONE');
    const ready = async () => (await fetch(`http://${running.metrics}/readyz`)).status;
    await waitUntil('readiness to notice', async () => (await ready()) === 503);
    expect(await readdir(running.dataRoot)).to.deep.equal([]);
    await putBack();
    await running.volumes.openVolume({ serverId });
    await waitUntil('readiness to return', async () => (await ready()) === 200);
  });

  it('fails a backup while its disk is away, and keeps the one that it was to replace', async () => {
    const { serverId } = await serverWith(running, { 'world.dat': 'w'.repeat(1_000) });
    const good = await backUp(running, serverId);
    const putBack = await unmount(running.dataRoot);
    const failed = await backUp(running, serverId, { limit: 1, rotate: true }).then(String, String);
    expect(failed).to.include('DATA_ROOT_GONE');
    await putBack();
    const { backups } = await running.backups.listBackups({ grant: running.grant(serverId, 'backup.read') });
    expect(backups.map(({ id }) => id)).to.include(good.id);
    expect(await readdir(path.join(running.dataRoot, 'backups', serverId))).to.deep.equal([`${good.id}.tar.gz`]);
  });

  it('gives a server whose files are lost those of a backup', async () => {
    const { serverId, root } = await serverWith(running, { 'world.dat': 'a world' });
    const backup = await backUp(running, serverId);
    await rm(root, { recursive: true });
    await restore(running, backup);
    expect(await readFile(path.join(root, 'world.dat'), 'utf8')).to.equal('a world');
    await running.volumes.openVolume({ serverId });
  });

  it('starts with no new identity where there are servers', async () => {
    const prepare = async (dataRoot: string) => {
      await mkdir(path.join(dataRoot, 'servers', randomUUID()), { recursive: true });
      await writeFile(path.join(dataRoot, 'node.json'), '{"nodeId":');
    };
    expect(await failure(async () => startTestFiles({ prepare })))
      .to.be.instanceOf(ConfigError)
      .with.property('message')
      .that.includes('node.json is missing or damaged');
  });

  it('does not start where the disk of its backups is missing below it', async () => {
    const directory = path.join(running.dataRoot, 'backups');
    const putBack = await unmount(directory);
    expect(await failure(async () => running.restart()))
      .to.be.instanceOf(ConfigError)
      .with.property('message')
      .that.includes('is its disk mounted?');
    await putBack();
    await running.restart();
  });

  it('starts with no other backups than its own', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-backups-'));
    const env = { BACKUP_DIRECTORY: directory };
    const own = await startTestFiles({ env });
    try {
      const { dataRootId } = await own.volumes.getDataRoot({});
      expect(JSON.parse(await readFile(path.join(directory, 'node.json'), 'utf8'))).to.deep.equal({
        nodeId: dataRootId,
      });
      await own.restart();
      expect(await failure(async () => startTestFiles({ env })))
        .to.be.instanceOf(ConfigError)
        .with.property('message')
        .that.includes('holds the backups of another data root');
      await rm(directory, { recursive: true });
      expect(await failure(async () => own.restart()))
        .to.be.instanceOf(ConfigError)
        .with.property('message')
        .that.includes('is its disk mounted?');
    } finally {
      await own.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('a backup that has much less than the one before', () => {
  let running: RunningFiles;
  before(async () => (running = await startTestFiles()));
  after(async () => running.stop());

  const rotated = async (serverId: string) => {
    const made = await backUp(running, serverId, { limit: 1, rotate: true });
    const grant = running.grant(serverId, 'backup.read');
    const { backups } = await running.backups.listBackups({ grant });
    return {
      made,
      others: backups.filter(({ id }) => id !== made.id),
      listed: backups.find(({ id }) => id === made.id),
    };
  };

  it('leaves the one before and says so', async () => {
    const { serverId, root } = await serverWith(running, { 'world.dat': 'w'.repeat(10_000) });
    const good = await backUp(running, serverId);
    await writeFile(path.join(root, 'world.dat'), 'w'.repeat(999));
    const { listed, others } = await rotated(serverId);
    expect(others.map(({ id }) => id)).to.deep.equal([good.id]);
    expect(listed?.warning).to.equal(
      'this backup has 9 % of the content of the one before: the one before was not replaced',
    );
  });

  it('leaves the one before an empty one', async () => {
    const { serverId, root } = await serverWith(running, { 'world.dat': '' });
    const good = await backUp(running, serverId);
    await rm(path.join(root, 'world.dat'));
    const { listed, others } = await rotated(serverId);
    expect(others.map(({ id }) => id)).to.deep.equal([good.id]);
    expect(listed?.warning).to.include('this backup is empty');
  });

  it('replaces one that has as much, more or less', async () => {
    const { serverId, root } = await serverWith(running, { 'world.dat': 'w'.repeat(10_000) });
    await backUp(running, serverId);
    await writeFile(path.join(root, 'world.dat'), 'w'.repeat(1_000));
    const { listed, others } = await rotated(serverId);
    expect(others).to.deep.equal([]);
    expect(listed?.warning).to.equal('');
  });
});
