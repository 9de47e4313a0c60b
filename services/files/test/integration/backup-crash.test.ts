import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { type Backup, Backup_State, FileOperation_State } from '@panel/protos/files';
import { backUp, reserve, restore, run } from '../backup-work.js';
import { type ChildFiles, startChildFiles } from '../child.js';
import { fileGrant, reasonOf } from '../harness.js';

const megabyte = 1024 * 1024;

describe('backups over crashes', function () {
  this.timeout(180_000);
  let files: ChildFiles;
  before(async () => (files = await startChildFiles()));
  after(async () => files.stop());

  async function makeServer(): Promise<{ serverId: string; root: string }> {
    const serverId = randomUUID();
    const { path: root } = await files.volumes.createVolume({ serverId });
    for (let i = 0; i < 12; i += 1) await writeFile(path.join(root, `file-${i}`), randomBytes(5 * megabyte));
    return { serverId, root };
  }

  async function killAt(step: string, begin: AsyncIterable<{ step: string | undefined }>): Promise<void> {
    let killed: Promise<void> | undefined;
    const work = (async () => {
      for await (const message of begin) if (message.step === step) await (killed ??= files.kill());
    })();
    await reasonOf(work);
    expect(killed, `${step} was not seen`).not.to.equal(undefined);
    await files.start();
  }

  async function killOnce(isSo: () => Promise<boolean>, run: AsyncIterable<unknown>): Promise<void> {
    let hasEnded = false;
    const work = (async () => {
      for await (const _message of run) {
        // until the end
      }
    })();
    const ended = reasonOf(work).then(() => (hasEnded = true));
    while (!(await isSo())) expect(hasEnded, 'the run has ended before').to.equal(false);
    await files.kill();
    await ended;
    await files.start();
  }

  async function* stepsOfRun({ serverId, id }: Backup) {
    for await (const { part } of files.backups.runBackup({ serverId, backupId: id })) {
      yield { step: part?.$case === 'progress' ? part.value.step : undefined };
    }
  }

  async function* stepsOfRestore({ serverId, id }: Backup, operationId: string) {
    const request = { serverId, backupId: id, operationId, truncate: true, paths: [], diskLimitBytes: 0 };
    for await (const { progress } of files.backups.restoreBackup(request)) yield { step: progress?.step };
  }

  it('leaves no archive of a backup that was killed, and makes it again', async () => {
    const { serverId } = await makeServer();
    const backup = await reserve(files.backups, serverId);
    const directory = path.join(files.dataRoot, 'backups', serverId);
    const archives = async () => (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.gz'));
    await killAt('archive', stepsOfRun(backup));
    expect(await archives()).to.deep.equal([]);
    // complete, in verification
    await killOnce(async () => (await archives()).length === 1, stepsOfRun(backup));
    const { backups } = await files.backups.listBackups({ grant: fileGrant(serverId, 'backup.read') });
    expect(backups.map(({ state }) => state)).to.deep.equal([Backup_State.PENDING]);
    expect((await run(files.backups, backup)).state).to.equal(Backup_State.COMPLETED);
    expect(await readdir(directory)).to.deep.equal([`${backup.id}.tar.gz`]);
  });

  it('leaves the files alone when a restore is killed, and restores again', async () => {
    const { serverId, root } = await makeServer();
    const backup = await backUp(files, serverId);
    await writeFile(path.join(root, 'file-0'), 'changed');
    const operationId = randomUUID();
    await killAt('extract', stepsOfRestore(backup, operationId));
    expect(await readdir(root)).to.have.length(12);
    await restore(files, backup, { truncate: true, operationId });
    expect(await readFile(path.join(root, 'file-0'))).to.have.length(5 * megabyte);
    expect(await readdir(path.join(files.dataRoot, 'restores'))).to.deep.equal([]);
  });

  it('finishes an exchange that was killed between its two renames', async () => {
    const { serverId, root } = await makeServer();
    await files.kill();
    const ready = path.join(files.dataRoot, 'restores', `${serverId}.${randomUUID()}.ready`);
    await mkdir(ready);
    await writeFile(path.join(ready, 'restored'), 'x');
    await rename(root, path.join(files.dataRoot, 'trash', randomUUID()));
    await files.start();
    expect(await readdir(root)).to.deep.equal(['restored']);
  });

  it('ends work on files and deletions that were killed, and leaves nothing of them', async () => {
    const serverId = randomUUID();
    const { path: root } = await files.volumes.createVolume({ serverId });
    await writeFile(path.join(root, 'big'), 'x');
    const backup = await backUp(files, serverId);
    await truncate(path.join(root, 'big'), 20 * 1024 ** 3);
    const grant = (permission: string) => fileGrant(serverId, permission);
    const packing = files.files.compressFiles({
      grant: grant('file.archive'),
      root: '',
      files: ['big'],
      name: 'a.tar.gz',
    });
    packing.catch(() => undefined);
    const list = async () => (await files.files.listFileOperations({ grant: grant('file.read') })).operations;
    await waitUntil('progress', async () => ((await list())[0]?.bytesDone ?? 0) > 0);
    const removing = files.backups.deleteBackup({ serverId, backupId: backup.id });
    removing.catch(() => undefined);
    await files.kill();
    await files.start();
    expect((await list()).map(({ state }) => state)).to.deep.equal([FileOperation_State.FAILED]);
    await waitUntil('the half archive to go', async () => (await readdir(root)).length === 1);
    expect(await reasonOf(files.backups.deleteBackup({ serverId, backupId: backup.id }))).to.be.oneOf([
      'none',
      'BACKUP_NOT_FOUND',
    ]);
    expect(await readdir(path.join(files.dataRoot, 'backups', serverId)).catch(() => [])).to.deep.equal([]);
  });
});
