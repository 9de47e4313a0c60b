import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import path from 'node:path';
import { expect } from 'chai';
import { Backup_State } from '@panel/protos/files';
import { backUp, download, reserve, restore, run, serverWith } from '../backup-work.js';
import { fileLengths, makeDeepFile, removeDeepTree } from '../deep-tree.js';
import { waitUntil } from '@panel/kit/testing';
import { readingToPause, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('backups on the disk of the node', () => {
  let running: RunningFiles;
  let now = () => new Date();
  before(async () => (running = await startTestFiles({ clock: () => now() })));
  after(async () => running.stop());

  const archiveOf = (serverId: string, id: string) => path.join(running.dataRoot, 'backups', serverId, `${id}.tar.gz`);
  const list = async (serverId: string) =>
    (await running.backups.listBackups({ grant: running.grant(serverId, 'backup.read') })).backups;

  it('stores a volume as a gzipped tar whose checksum was read back', async () => {
    const { serverId, root } = await serverWith(running, { 'world/level.dat': 'level', 'server.jar': 'jar' });
    await symlink('world/level.dat', path.join(root, 'current'));
    const reserved = await reserve(running.backups, serverId, { name: 'first' });
    expect(reserved.state).to.equal(Backup_State.PENDING);
    const backup = await run(running.backups, reserved);
    expect(backup.state).to.equal(Backup_State.COMPLETED);
    const stored = await readFile(archiveOf(serverId, backup.id));
    expect(backup.checksum).to.equal(`sha256:${createHash('sha256').update(stored).digest('hex')}`);
    expect(backup.sizeBytes).to.equal(stored.length);
    const { stdout } = await promisify(execFile)('tar', ['-tzf', archiveOf(serverId, backup.id)]);
    expect(stdout.trim().split('\n').toSorted()).to.deep.equal([
      './',
      './current',
      './server.jar',
      './world/',
      './world/level.dat',
    ]);
  });

  it('sends a backup whole and in ranges', async () => {
    const { serverId } = await serverWith(running, { 'a.txt': 'some text' });
    const backup = await backUp(running, serverId);
    const stored = await readFile(archiveOf(serverId, backup.id));
    const whole = await download(running, backup);
    expect(whole).to.deep.equal({ content: stored, totalBytes: stored.length });
    const part = await download(running, backup, { offsetBytes: 5, limitBytes: 7 });
    expect(part.content).to.deep.equal(stored.subarray(5, 12));
  });

  it('makes as many backups as the limit allows of 50 parallel requests', async () => {
    const { serverId } = await serverWith(running, {});
    const requests = Array.from({ length: 50 }, async () => reasonOf(reserve(running.backups, serverId, { limit: 3 })));
    const reasons = await Promise.all(requests);
    expect(reasons.filter((reason) => reason === 'BACKUP_LIMIT')).to.have.length(47);
    expect(await list(serverId)).to.have.length(3);
  });

  it('leaves a failed backup out of the count', async () => {
    const serverId = randomUUID();
    const failed = await run(running.backups, await reserve(running.backups, serverId, { limit: 1 }));
    expect(failed.state).to.equal(Backup_State.FAILED);
    expect(failed.errorReason).to.equal('VOLUME_NOT_FOUND');
    await reserve(running.backups, serverId, { limit: 1 });
    await running.backups.deleteBackup({ serverId, backupId: failed.id });
    expect(await list(serverId)).to.have.length(1);
  });

  it('replaces the oldest unlocked backup when the new one is completed', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const [locked, oldest] = [
      await backUp(running, serverId, { limit: 2 }),
      await backUp(running, serverId, { limit: 2 }),
    ];
    await running.backups.setBackupLock({ serverId, backupId: locked.id, isLocked: true });
    const next = await reserve(running.backups, serverId, { limit: 2, rotate: true });
    expect((await list(serverId)).map(({ id }) => id)).to.include(oldest.id);
    await run(running.backups, next);
    expect((await list(serverId)).map(({ id }) => id)).to.have.members([locked.id, next.id]);
    expect(await readdir(path.dirname(archiveOf(serverId, next.id)))).to.have.length(2);
  });

  it('keeps the backup that a failed one was to replace', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const good = await backUp(running, serverId, { limit: 1 });
    const next = await reserve(running.backups, serverId, { limit: 1, rotate: true });
    await running.volumes.deleteVolume({ serverId });
    expect((await run(running.backups, next)).state).to.equal(Backup_State.FAILED);
    const retained = (await list(serverId)).find(({ id }) => id === good.id);
    expect(retained?.state).to.equal(Backup_State.COMPLETED);
    expect(await reasonOf(reserve(running.backups, serverId, { limit: 1 }))).to.equal('BACKUP_LIMIT');
  });

  it('counts a backup that was locked while its replacement was made', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const oldest = await backUp(running, serverId, { limit: 1 });
    const next = await reserve(running.backups, serverId, { limit: 1, rotate: true });
    await running.backups.setBackupLock({ serverId, backupId: oldest.id, isLocked: true });
    await run(running.backups, next);
    expect((await list(serverId)).map(({ id }) => id)).to.have.members([oldest.id, next.id]);
    for (const rotate of [false, true]) {
      expect(await reasonOf(reserve(running.backups, serverId, { limit: 1, rotate }))).to.equal('BACKUP_LIMIT');
    }
  });

  it('gives no slot away that a deleted replacement has to give back', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    await backUp(running, serverId, { limit: 1 });
    const { id } = await reserve(running.backups, serverId, { limit: 1, rotate: true });
    const attempts = Array.from({ length: 20 }, async () => reasonOf(reserve(running.backups, serverId, { limit: 1 })));
    await Promise.all([running.backups.deleteBackup({ serverId, backupId: id }), ...attempts]);
    expect(await list(serverId)).to.have.length(1);
  });

  it('leaves a replaced backup to its reader', async () => {
    const { serverId } = await serverWith(running, { a: randomBytes(64 * 1024 * 1024) });
    const oldest = await backUp(running, serverId, { limit: 1 });
    const grant = running.grant(serverId, 'backup.download');
    const reading = running.backups.downloadBackup({ grant, backupId: oldest.id, offsetBytes: 0, limitBytes: 0 });
    const iterator = reading[Symbol.asyncIterator]();
    await iterator.next();
    await readingToPause();
    const next = await backUp(running, serverId, { limit: 1, rotate: true });
    expect((await list(serverId)).map(({ id }) => id)).to.have.members([oldest.id, next.id]);
    await iterator.return?.(undefined);
  });

  it('leaves out what matches gitignore patterns', async () => {
    const files = {
      'logs/a.log': 'x',
      'logs/keep.log': 'x',
      'world/b.log': 'x',
      'cache/x/y': 'x',
      'odd\nname.log': 'x',
    };
    const { serverId } = await serverWith(running, files);
    const backup = await backUp(running, serverId, { ignoredFiles: ['*.log', '!keep.log', '/cache'] });
    const { stdout } = await promisify(execFile)('tar', ['-tzf', archiveOf(serverId, backup.id)]);
    expect(stdout.trim().split('\n').toSorted()).to.deep.equal(['./', './logs/', './logs/keep.log', './world/']);
  });

  it('takes the patterns of .panelignore without others', async () => {
    const { serverId } = await serverWith(running, { '.panelignore': '# caches\n*.tmp\n', 'a.tmp': 'x', 'a.txt': 'x' });
    const backup = await backUp(running, serverId);
    expect(backup.ignoredFiles).to.deep.equal(['*.tmp']);
    expect(backup.entries).to.equal(2);
  });

  it('takes the patterns of .pteroignore where there is no .panelignore, even an empty one', async () => {
    const files = { '.pteroignore': '*.tmp\n', 'a.tmp': 'x' };
    const brought = await serverWith(running, files);
    expect((await backUp(running, brought.serverId)).ignoredFiles).to.deep.equal(['*.tmp']);
    const own = await serverWith(running, { ...files, '.panelignore': '' });
    expect((await backUp(running, own.serverId)).ignoredFiles).to.deep.equal([]);
  });

  it('reads .panelignore with a byte order mark, and no line that is cut', async () => {
    const filler = `${'#'.repeat(99)}\n`.repeat(327);
    const content = `\ufeff*.tmp\n${filler}${'/world'.padEnd(60, 'x')}/cache`;
    const { serverId } = await serverWith(running, { '.panelignore': content, 'a.tmp': 'x' });
    const backup = await backUp(running, serverId);
    expect(backup.ignoredFiles).to.deep.equal(['*.tmp']);
  });

  it('refuses patterns that leave the root, are too many or repeat wildcards', async () => {
    const { serverId } = await serverWith(running, {});
    const bad = [['../../etc'], ['!**'], ['*a*a*a*a*a*a*a*a*a*b'], Array.from({ length: 201 }, () => 'x')];
    for (const ignoredFiles of bad) {
      expect(await reasonOf(reserve(running.backups, serverId, { ignoredFiles }))).to.equal('INVALID_FIELDS');
    }
    expect(await list(serverId)).to.deep.equal([]);
  });

  it('restores over the files that are there and keeps the others', async () => {
    const { serverId, root } = await serverWith(running, { 'world/a': 'old', 'config.yml': 'old' });
    await symlink('world', path.join(root, 'link'));
    const backup = await backUp(running, serverId);
    await writeFile(path.join(root, 'world/a'), 'new');
    await writeFile(path.join(root, 'world/b'), 'later');
    const steps = await restore(running, backup);
    expect(steps[0]).to.be.oneOf(['waiting', 'verify', 'extract', 'swap']);
    expect(await readFile(path.join(root, 'world/a'), 'utf8')).to.equal('old');
    expect(await readFile(path.join(root, 'world/b'), 'utf8')).to.equal('later');
    expect(await readlink(path.join(root, 'link'))).to.equal('world');
    const [shown] = await list(serverId);
    expect(shown?.restoreError).to.equal('');
    expect(shown?.restoreTime).to.be.instanceOf(Date);
  });

  it('restores beside files whose paths are too long for one call', async () => {
    const { serverId, root } = await serverWith(running, { 'world/a': 'old' });
    const backup = await backUp(running, serverId);
    await writeFile(path.join(root, 'world/a'), 'new');
    await makeDeepFile(root, 9_000);
    await restore(running, backup);
    expect(await readFile(path.join(root, 'world/a'), 'utf8')).to.equal('old');
    expect(fileLengths(root)).to.have.members([9_000, 'world/a'.length]);
    removeDeepTree(root);
  });

  it('fails a backup whose paths no restore could create, and names the path', async () => {
    const { serverId, root } = await serverWith(running, { 'world/a': 'a' });
    await makeDeepFile(root, 4_200);
    const failed = await run(running.backups, await reserve(running.backups, serverId));
    removeDeepTree(root);
    expect(failed).to.include({ state: Backup_State.FAILED, errorReason: 'TREE_UNSUPPORTED' });
    expect(failed.errorMessage).to.contain('d'.repeat(99));
    expect(await readdir(path.join(running.dataRoot, 'backups'))).not.to.include(serverId);
  });

  it('removes what is not in the backup when it truncates', async () => {
    const { serverId, root } = await serverWith(running, { a: 'a' });
    const backup = await backUp(running, serverId);
    await writeFile(path.join(root, 'b'), 'later');
    await restore(running, backup, { truncate: true });
    expect(await readdir(root)).to.deep.equal(['a']);
    expect((await stat(root)).mode & 0o777).to.equal(0o750);
  });

  it('restores single paths', async () => {
    const { serverId, root } = await serverWith(running, { 'world/a': 'old', 'world/b': 'old', c: 'old' });
    const backup = await backUp(running, serverId);
    for (const name of ['world/a', 'world/b', 'c']) await writeFile(path.join(root, name), 'new');
    await restore(running, backup, { paths: ['/world/a'] });
    const contents = await Promise.all(
      ['world/a', 'world/b', 'c'].map((name) => readFile(path.join(root, name), 'utf8')),
    );
    expect(contents).to.deep.equal(['old', 'new', 'new']);
    expect(await reasonOf(restore(running, backup, { paths: ['/nothing'] }))).to.equal('FILE_NOT_FOUND');
  });

  it('lists the directories of a backup', async () => {
    const { serverId } = await serverWith(running, { 'world/a': 'abc', 'z.txt': 'z' });
    const backup = await backUp(running, serverId);
    const grant = running.grant(serverId, 'backup.read');
    const top = await running.backups.listBackupFiles({ grant, backupId: backup.id, path: '' });
    expect(top.files.map((file) => [file.path, file.isFile])).to.deep.equal([
      ['/world', false],
      ['/z.txt', true],
    ]);
    const { files } = await running.backups.listBackupFiles({ grant, backupId: backup.id, path: '/world' });
    expect(files.map((file) => [file.path, file.sizeBytes])).to.deep.equal([['/world/a', 3]]);
    const missing = running.backups.listBackupFiles({ grant, backupId: backup.id, path: '/nothing' });
    expect(await reasonOf(missing)).to.equal('FILE_NOT_FOUND');
  });

  it('leaves the files alone when the archive is damaged', async () => {
    const { serverId, root } = await serverWith(running, { a: 'old' });
    const backup = await backUp(running, serverId);
    const archive = archiveOf(serverId, backup.id);
    const bytes = await readFile(archive);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await writeFile(archive, bytes);
    await writeFile(path.join(root, 'a'), 'new');
    expect(await reasonOf(restore(running, backup, { truncate: true }))).to.equal('BACKUP_DAMAGED');
    const grant = running.grant(serverId, 'backup.read');
    const browsing = running.backups.listBackupFiles({ grant, backupId: backup.id, path: '' });
    expect(await reasonOf(browsing)).to.equal('BACKUP_DAMAGED');
    await truncate(archive, 10);
    expect(await reasonOf(restore(running, backup, { truncate: true }))).to.equal('BACKUP_DAMAGED');
    expect(await readFile(path.join(root, 'a'), 'utf8')).to.equal('new');
    expect((await list(serverId))[0]?.restoreError).to.contain('not what was written');
    expect(await readdir(path.join(running.dataRoot, 'restores'))).to.deep.equal([]);
  });

  it('refuses a backup that exceeds the disk limit', async () => {
    const { serverId, root } = await serverWith(running, { a: Buffer.alloc(1024 * 1024) });
    const backup = await backUp(running, serverId);
    expect(await reasonOf(restore(running, backup, { diskLimitBytes: 1000 }))).to.equal('DISK_LIMIT');
    expect(await readdir(root)).to.deep.equal(['a']);
  });

  it('deletes neither a locked backup nor one that is being downloaded', async () => {
    const { serverId } = await serverWith(running, { a: randomBytes(64 * 1024 * 1024) });
    const backup = await backUp(running, serverId);
    const remove = async () => running.backups.deleteBackup({ serverId, backupId: backup.id });
    await running.backups.setBackupLock({ serverId, backupId: backup.id });
    expect(await reasonOf(remove())).to.equal('BACKUP_LOCKED');
    const { backup: unlocked } = await running.backups.setBackupLock({ serverId, backupId: backup.id });
    expect(unlocked?.isLocked).to.equal(false);
    const grant = running.grant(serverId, 'backup.download');
    const reading = running.backups.downloadBackup({ grant, backupId: backup.id, offsetBytes: 0, limitBytes: 0 });
    const iterator = reading[Symbol.asyncIterator]();
    await iterator.next();
    // without reads, back-pressure keeps the download open
    await readingToPause();
    expect(await reasonOf(remove())).to.equal('BACKUP_IN_USE');
    expect((await list(serverId)).map(({ id }) => id)).to.deep.equal([backup.id]);
    let bytes = 0;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value.part?.$case === 'chunk') bytes += next.value.part.value.length;
    }
    expect(bytes).to.equal(backup.sizeBytes);
    await remove();
    expect(await list(serverId)).to.deep.equal([]);
  });

  it('answers for a backup of another server as for none', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const backup = await backUp(running, serverId);
    const other = randomUUID();
    const grant = running.grant(other, 'backup.read');
    expect(await reasonOf(running.backups.getBackup({ grant, backupId: backup.id }))).to.equal('BACKUP_NOT_FOUND');
    const lock = running.backups.setBackupLock({ serverId: other, backupId: backup.id, isLocked: true });
    expect(await reasonOf(lock)).to.equal('BACKUP_NOT_FOUND');
    const remove = running.backups.deleteBackup({ serverId: other, backupId: backup.id });
    expect(await reasonOf(remove)).to.equal('BACKUP_NOT_FOUND');
    expect(await reasonOf(restore(running, { ...backup, serverId: other }))).to.equal('BACKUP_NOT_FOUND');
  });

  it('keeps the completed backups of a deleted server until they expire', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const backup = await backUp(running, serverId);
    await running.backups.setBackupLock({ serverId, backupId: backup.id, isLocked: true });
    await reserve(running.backups, serverId);
    const keep = { nodeId: randomUUID(), serverName: 'the game' };
    await running.backups.deleteServerBackups({ serverId, keep });
    await running.backups.deleteServerBackups({ serverId, keep });
    await running.volumes.deleteVolume({ serverId });
    const [retained] = (await running.backups.listRetainedBackups({ backupId: backup.id })).backups;
    expect(retained).to.deep.include(keep);
    expect(retained?.backup).to.deep.include({ id: backup.id, isLocked: false });
    expect((retained?.expireTime?.getTime() ?? 0) - (retained?.keepTime?.getTime() ?? 0)).to.equal(
      30 * 24 * 60 * 60_000,
    );
    expect((await running.backups.listRetainedBackups({ backupId: '' })).backups).to.have.length(1);
    expect((await download(running, backup)).content).to.have.length(backup.sizeBytes);
    now = () => new Date(Date.now() + 31 * 24 * 60 * 60_000);
    await running.restart();
    await waitUntil(
      'the sweep',
      async () => !(await readdir(path.join(running.dataRoot, 'backups'))).includes(serverId),
    );
    now = () => new Date();
    expect((await running.backups.listRetainedBackups({ backupId: '' })).backups).to.deep.equal([]);
  });

  it('removes everything of a deleted server', async () => {
    const { serverId } = await serverWith(running, { a: 'a' });
    const backup = await backUp(running, serverId);
    await running.backups.setBackupLock({ serverId, backupId: backup.id, isLocked: true });
    await running.backups.deleteServerBackups({ serverId });
    await running.backups.deleteServerBackups({ serverId });
    expect(await list(serverId)).to.deep.equal([]);
    expect(await readdir(path.join(running.dataRoot, 'backups'))).not.to.include(serverId);
  });
});
