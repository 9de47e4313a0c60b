import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import type { Backup, ReceiveBackupsResponse } from '@panel/protos/files';
import { makeQuickRepository, password } from '../backups/restic/quick-repository.js';
import { backUp, download, restore, serverWith } from '../backup-work.js';
import { reasonOf, type RunningFiles, startTestFiles, writeAll } from '../harness.js';

describe('backups of two nodes', () => {
  let a: RunningFiles;
  let b: RunningFiles;
  before(async () => {
    a = await startTestFiles();
    b = await startTestFiles({ mongoUrl: a.mongoUrl });
  });
  after(async () => {
    await b?.stop();
    await a?.stop();
  });

  const archives = async ({ dataRoot }: RunningFiles, serverId: string) =>
    readdir(path.join(dataRoot, 'backups', serverId)).catch(() => []);
  const namesOf = async (node: RunningFiles, serverId: string) =>
    (await node.backups.listBackups({ grant: node.grant(serverId, 'backup.read') })).backups.map(({ id }) => id);

  async function receive(
    to: RunningFiles,
    from: RunningFiles,
    serverId: string,
    backupId = '',
  ): Promise<ReceiveBackupsResponse[]> {
    const grant = from.exportGrant(serverId, randomUUID());
    const messages: ReceiveBackupsResponse[] = [];
    const request = { serverId, sourceAddress: from.address, grant, backupId };
    for await (const message of to.backups.receiveBackups(request)) messages.push(message);
    return messages;
  }

  async function moved(): Promise<{ serverId: string; backups: Backup[] }> {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const backups = [await backUp(a, serverId), await backUp(a, serverId)];
    await receive(b, a, serverId);
    await b.volumes.createVolume({ serverId });
    return { serverId, backups };
  }

  it('copies what lies on the other node, compares it and copies nothing twice', async () => {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const [one, two] = [await backUp(a, serverId), await backUp(a, serverId)];
    const last = (await receive(b, a, serverId)).at(-1);
    const bytesTotal = (one.sizeBytes + two.sizeBytes) * 2;
    expect(last).to.deep.include({ received: 2, total: 2, bytesDone: bytesTotal, bytesTotal });
    expect((await receive(b, a, serverId)).at(-1)).to.deep.include({ received: 0, total: 0, bytesTotal: 0 });
    await a.volumes.deleteVolume({ serverId });
    expect(await archives(a, serverId)).to.deep.equal([]);
    expect(await namesOf(b, serverId)).to.have.members([one.id, two.id]);
    await b.volumes.createVolume({ serverId });
    await restore(b, one, { truncate: true });
    expect(await readFile(path.join(b.dataRoot, 'servers', serverId, 'world.dat'), 'utf8')).to.equal('old');
  });

  it('refuses a backup that is damaged on its node, and keeps nothing of it', async () => {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    await writeFile(path.join(a.dataRoot, 'backups', serverId, `${backup.id}.tar.gz`), 'something else');
    expect(await reasonOf(receive(b, a, serverId))).to.equal('BACKUP_DAMAGED');
    expect(await archives(b, serverId)).to.deep.equal([]);
    expect(await reasonOf(download(b, backup))).to.equal('STORAGE_UNAVAILABLE');
  });

  it('passes over a backup that is lost, and copies the others', async () => {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const [lost, good] = [await backUp(a, serverId), await backUp(a, serverId)];
    await rm(path.join(a.dataRoot, 'backups', serverId, `${lost.id}.tar.gz`));
    expect((await receive(b, a, serverId)).at(-1)).to.deep.include({ received: 2, total: 2 });
    expect(await archives(b, serverId)).to.deep.equal([`${good.id}.tar.gz`]);
  });

  it('names the disks that have a backup, and restores one on another node after a copy of it alone', async () => {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const [wanted] = [await backUp(a, serverId), await backUp(a, serverId)];
    await b.volumes.createVolume({ serverId });
    const held = async () => b.backups.getBackup({ grant: b.grant(serverId, 'backup.read'), backupId: wanted.id });
    const { dataRootId } = await a.volumes.getDataRoot({});
    expect(await held()).to.deep.include({ withinReach: false, dataRootIds: [dataRootId] });
    expect(await reasonOf(restore(b, wanted, { truncate: true }))).to.equal('STORAGE_UNAVAILABLE');
    expect((await receive(b, a, serverId, wanted.id)).at(-1)).to.deep.include({ received: 1, total: 1 });
    expect(await archives(b, serverId)).to.deep.equal([`${wanted.id}.tar.gz`]);
    await restore(b, wanted, { truncate: true });
    expect(await readFile(path.join(b.dataRoot, 'servers', serverId, 'world.dat'), 'utf8')).to.equal('old');
    expect((await held()).withinReach).to.equal(true);
    expect(await archives(a, serverId)).to.have.length(2);
  });

  it('removes the copies of a transfer that was given up, and no backup with them', async () => {
    const { serverId, backups } = await moved();
    await b.volumes.discardVolumeTransfer({ serverId, operationId: randomUUID() });
    expect(await archives(b, serverId)).to.deep.equal([]);
    expect(await archives(a, serverId)).to.have.length(2);
    expect(await namesOf(a, serverId)).to.have.members(backups.map(({ id }) => id));
  });

  it('shows the records of every node, locks them and counts them', async () => {
    const { serverId } = await serverWith(a, { 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    expect(await namesOf(b, serverId)).to.deep.equal([backup.id]);
    const grant = b.grant(serverId, 'backup.read');
    expect((await b.backups.getBackup({ grant, backupId: backup.id })).backup?.checksum).to.equal(backup.checksum);
    expect((await b.backups.setBackupLock({ serverId, backupId: backup.id, isLocked: true })).backup).to.deep.include({
      isLocked: true,
    });
    const request = {
      serverId,
      backupId: randomUUID(),
      name: '',
      ignoredFiles: [],
      limit: 1,
      rotate: false,
      databases: [],
    };
    expect(await reasonOf(b.backups.reserveBackup(request))).to.equal('BACKUP_LIMIT');
    expect(await reasonOf(download(b, backup))).to.equal('STORAGE_UNAVAILABLE');
  });

  it('removes a deleted backup from all nodes, also when another one has to do it', async () => {
    const { serverId, backups } = await moved();
    const [first] = backups;
    await b.backups.deleteBackup({ serverId, backupId: first?.id ?? '' });
    expect(await namesOf(a, serverId)).not.to.include(first?.id);
    expect(await archives(b, serverId)).not.to.include(`${first?.id}.tar.gz`);
    await b.backups.deleteServerBackups({ serverId });
    expect(await namesOf(b, serverId)).to.deep.equal([]);
    expect(await archives(b, serverId)).to.deep.equal([]);
    // the start sweeps at once
    await a.restart();
    await waitUntil('the sweep of the other node', async () => (await archives(a, serverId)).length === 0);
  });

  it('keeps the trash and the history that a server has on its new node when the old one is cleaned', async () => {
    const { serverId } = await moved();
    await writeFile(path.join(b.dataRoot, 'servers', serverId, 'gone.txt'), 'x');
    await b.files.deleteFiles({ grant: b.grant(serverId, 'file.delete'), root: '', files: ['/gone.txt'] });
    await a.volumes.deleteVolume({ serverId });
    const { entries } = await b.files.listTrash({ grant: b.grant(serverId, 'file.read') });
    expect(entries).to.have.length(1);
  });

  it('shows the trash and the history of another node, and says that it has not their bytes', async () => {
    const { serverId, root } = await serverWith(a, { 'gone.txt': 'x', 'kept.txt': 'old' });
    const write = a.grant(serverId, 'file.update');
    await writeAll(a, { grant: write, path: '/kept.txt' }, Buffer.from('new'));
    await a.files.deleteFiles({ grant: a.grant(serverId, 'file.delete'), root: '', files: ['/gone.txt'] });
    await b.volumes.createVolume({ serverId });

    const [entry] = (await b.files.listTrash({ grant: b.grant(serverId, 'file.read') })).entries;
    expect(entry?.path).to.equal('/gone.txt');
    const restoring = { grant: b.grant(serverId, 'file.create'), trashId: entry?.id ?? '', to: '' };
    expect(await reasonOf(b.files.restoreTrash(restoring))).to.equal('STORAGE_UNAVAILABLE');

    const path = '/kept.txt';
    const [version] = (await b.files.listFileVersions({ grant: b.grant(serverId, 'file.read'), path })).versions;
    const versionId = version?.id ?? '';
    const reading = { grant: b.grant(serverId, 'file.read-content'), versionId };
    expect(await reasonOf(b.files.readFileVersion(reading))).to.equal('STORAGE_UNAVAILABLE');
    const writing = { grant: b.grant(serverId, 'file.update'), versionId };
    expect(await reasonOf(b.files.restoreFileVersion(writing))).to.equal('STORAGE_UNAVAILABLE');

    // nothing lost on the bytes' node
    await a.files.restoreTrash({ ...restoring, grant: a.grant(serverId, 'file.create') });
    expect(await readFile(`${root}/gone.txt`, 'utf8')).to.equal('x');
    expect(
      (await a.files.readFileVersion({ ...reading, grant: a.grant(serverId, 'file.read-content') })).content.toString(),
    ).to.equal('old');
  });
});

describe('backups in a repository', function () {
  this.timeout(60_000);
  let directory: string;
  let a: RunningFiles;
  /** With the repository of A. */
  let b: RunningFiles;
  /** With one of its own. */
  let other: RunningFiles;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-repositories-'));
    const startWith = async (name: string, mongoUrl?: string) => {
      const repository = {
        BACKUP_RESTIC_REPOSITORY: path.join(directory, name),
        BACKUP_RESTIC_PASSWORD: password,
      };
      const env = { BACKUP_STORAGE: 'restic', ...repository };
      return startTestFiles({ env, ...(mongoUrl === undefined ? {} : { mongoUrl }) });
    };
    a = await startWith('shared');
    b = await startWith('shared', a.mongoUrl);
    other = await startWith('own', a.mongoUrl);
  });
  after(async () => {
    for (const one of [other, b, a]) await one?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** On A, with an empty repository. */
  const serverOfA = async (files: Readonly<Record<string, string | Buffer>>) => {
    const server = await serverWith(a, files);
    await makeQuickRepository(path.join(directory, 'shared', server.serverId));
    return server;
  };
  const reached = async (node: RunningFiles, { serverId, id }: Backup) =>
    (await node.backups.getBackup({ grant: node.grant(serverId, 'backup.read'), backupId: id })).withinReach;
  const snapshots = async (serverId: string) =>
    readdir(path.join(directory, 'shared', serverId, 'snapshots')).catch(() => []);

  it('reads, restores and deletes them on another node with the same one', async () => {
    const { serverId } = await serverOfA({ 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    expect(await reached(b, backup)).to.equal(true);
    expect((await download(b, backup)).content.length).to.be.greaterThan(0);
    await b.volumes.createVolume({ serverId });
    await restore(b, backup, { truncate: true });
    expect(await readFile(path.join(b.dataRoot, 'servers', serverId, 'world.dat'), 'utf8')).to.equal('old');
    await b.backups.deleteBackup({ serverId, backupId: backup.id });
    await waitUntil('the removal', async () => (await snapshots(serverId)).length === 0);
  });

  it('leaves them alone on a node with another one, and removes them by their own', async () => {
    const { serverId } = await serverOfA({ 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    expect(await reached(other, backup)).to.equal(false);
    expect(await reasonOf(download(other, backup))).to.equal('STORAGE_UNAVAILABLE');
    await other.backups.deleteServerBackups({ serverId });
    expect(await snapshots(serverId)).to.have.length(1);
    // the start sweeps at once
    await a.restart();
    await waitUntil('the sweep', async () => (await snapshots(serverId)).length === 0);
  });

  it('removes expired ones of a deleted server although its node is away', async () => {
    const { serverId } = await serverOfA({ 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    await b.backups.deleteServerBackups({ serverId, keep: { nodeId: randomUUID(), serverName: 'gone' } });
    const mongo = await connectMongo(a.mongoUrl, { appName: 'test' });
    const longAgo = { $set: { 'retention.at': new Date(0) } };
    await mongo.collection('backups').updateOne({ _id: backup.id as never }, longAgo);
    await mongo.close();
    await b.restart();
    await waitUntil('the removal', async () => (await snapshots(serverId)).length === 0);
  });

  it('removes one by the sweep of the node that was asked, once the repository is back', async () => {
    const { serverId } = await serverOfA({ 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    const keys = path.join(directory, 'shared', serverId, 'keys');
    await rename(keys, `${keys}.away`);
    await b.backups.deleteBackup({ serverId, backupId: backup.id }).catch(() => undefined);
    await rename(`${keys}.away`, keys);
    expect(await snapshots(serverId)).to.have.length(1);
    // the start sweeps at once
    await b.restart();
    await waitUntil('the removal', async () => (await snapshots(serverId)).length === 0);
  });

  it('brings no files back that were deleted during a restore', async () => {
    const { serverId } = await serverOfA({ big: randomBytes(8 * 1024 * 1024), 'world.dat': 'old' });
    const backup = await backUp(a, serverId);
    const restoring = restore(a, backup).catch((error: unknown) => error);
    await a.volumes.deleteVolume({ serverId });
    await restoring;
    expect(await readdir(path.join(a.dataRoot, 'servers'))).not.to.include(serverId);
  });
});
