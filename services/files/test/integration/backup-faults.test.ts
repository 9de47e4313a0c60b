import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { Backup_State } from '@panel/protos/files';
import { expect } from 'chai';
import { tarOf } from '../archive-files.js';
import { backUp, reserve, restore, run as runBackup, serverWith } from '../backup-work.js';
import { reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

const run = promisify(execFile);
const megabyte = 1024 * 1024;

/** Requires root on a dedicated machine. */
describe('a backup onto a small disk', () => {
  let disk = '';
  let running: RunningFiles;
  beforeEach(async function () {
    disk = await mkdtemp(path.join(tmpdir(), 'panel-disk-'));
    const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]).then(
      () => true,
      () => false,
    );
    if (!isMounted) this.skip();
    running = await startTestFiles({ env: { BACKUP_DIRECTORY: path.join(disk, 'backups') } });
  });
  afterEach(async () => {
    await running?.stop();
    await run('umount', ['-l', disk]).catch(() => undefined);
    await rm(disk, { recursive: true, force: true });
  });

  it('fails halfway with its reason, leaves nothing, and can be made when there is room', async () => {
    const { serverId, root } = await serverWith(running, { big: randomBytes(48 * megabyte) });
    const failed = await runBackup(running.backups, await reserve(running.backups, serverId, { limit: 1 }));
    expect([failed.state, failed.errorReason]).to.deep.equal([Backup_State.FAILED, 'NODE_DISK_LOW']);
    // The identity of the data root that the directory is bound to.
    expect(await readdir(path.join(disk, 'backups'))).to.deep.equal(['node.json']);
    await running.backups.deleteBackup({ serverId, backupId: failed.id });
    await writeFile(path.join(root, 'big'), randomBytes(megabyte));
    await backUp(running, serverId, { limit: 1 });
  });
});

describe('a malicious archive in the place of a backup', () => {
  let running: RunningFiles;
  before(async () => (running = await startTestFiles()));
  after(async () => running.stop());

  /** As an attacker with disk and database access could. */
  async function replaced(tar: Buffer) {
    const { serverId, root } = await serverWith(running, { a: 'mine' });
    const backup = await backUp(running, serverId);
    const archive = gzipSync(tar);
    await writeFile(path.join(running.dataRoot, 'backups', serverId, `${backup.id}.tar.gz`), archive);
    const mongo = await connectMongo(running.mongoUrl, { appName: 'test' });
    const checksum = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
    await mongo.collection('backups').updateOne({ _id: backup.id as never }, { $set: { checksum } });
    await mongo.close();
    return { backup, root };
  }

  for (const [name, entry] of [
    ['a path above the volume', { name: '../../escaped', content: 'x' }],
    ['an absolute path', { name: '/tmp/panel-escaped', content: 'x' }],
  ] as const) {
    it(`writes nothing outside by ${name}`, async () => {
      const { backup, root } = await replaced(await tarOf({ name: './b', content: 'b' }, entry));
      await reasonOf(restore(running, backup, { truncate: true }));
      expect(await readdir(running.dataRoot)).not.to.include('escaped');
      expect(await readdir(path.join(running.dataRoot, 'servers'))).not.to.include('escaped');
      expect(await stat('/tmp/panel-escaped').catch(() => null)).to.equal(null);
      expect((await readdir(root)).every((found) => ['a', 'b', 'escaped', 'tmp'].includes(found))).to.equal(true);
    });
  }

  it('writes nothing through a symbolic link', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'panel-outside-'));
    await mkdir(outside, { recursive: true });
    const tar = await tarOf(
      { name: './way', type: 'symlink', linkname: outside },
      { name: './way/planted', content: 'x' },
    );
    const { backup } = await replaced(tar);
    await reasonOf(restore(running, backup, { truncate: true }));
    expect(await readdir(outside)).to.deep.equal([]);
    await rm(outside, { recursive: true });
  });

  it('makes no device and no set-user-id file', async () => {
    const tar = await tarOf(
      { name: './disk', type: 'block-device', devmajor: 8, devminor: 0 },
      { name: './root', mode: 0o4755, content: 'x' },
    );
    const { backup, root } = await replaced(tar);
    await reasonOf(restore(running, backup, { truncate: true }));
    for (const name of await readdir(root)) {
      const found = await stat(path.join(root, name));
      expect([found.isBlockDevice(), found.mode & 0o6000]).to.deep.equal([false, 0]);
    }
  });
});

describe('metrics of backups', () => {
  it('counts backups by state and shows the age of the newest good one of each server', async () => {
    let now = () => new Date();
    const running = await startTestFiles({ clock: () => now() });
    const { serverId } = await serverWith(running, { a: 'a' });
    const { serverId: other } = await serverWith(running, { a: 'a' });
    await backUp(running, serverId);
    await backUp(running, serverId);
    await backUp(running, other);
    await running.backups.deleteServerBackups({ serverId: other, keep: { nodeId: 'n', serverName: 's' } });
    await running.volumes.deleteVolume({ serverId });
    await runBackup(running.backups, await reserve(running.backups, serverId));
    now = () => new Date(Date.now() + 3_600_000);
    await running.restart();
    const text = await waitUntil('the metrics', async () => {
      const body = await (await fetch(`http://${running.metrics}/metrics`)).text();
      return /^backups\{[^}]*state="completed"[^}]*\} 3$/m.test(body) && body.includes(serverId) ? body : null;
    });
    const valueOf = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
    expect(valueOf(/^backups\{[^}]*state="completed"[^}]*\} (\d+)$/m)).to.equal(3);
    expect(valueOf(/^backups\{[^}]*state="failed"[^}]*\} (\d+)$/m)).to.equal(1);
    const age = valueOf(
      new RegExp(`^backup_newest_age_seconds\\{[^}]*server_id="${serverId}"[^}]*\\} ([\\d.]+)$`, 'm'),
    );
    expect(age).to.be.within(3_590, 3_900);
    // a deleted server expects no backups
    expect(text).not.to.contain(`server_id="${other}"`);
    await running.stop();
  });
});
