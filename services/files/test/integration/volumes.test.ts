import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { openVolumes } from '../../src/volumes/volumes.js';
import { newVolume, reasonOf, startTestFiles, type RunningFiles } from '../harness.js';

describe('volumes', () => {
  let running: RunningFiles;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());

  it('gives a volume to the game user, never to root, and closes it to others', async () => {
    const serverId = randomUUID();
    const answer = await running.volumes.createVolume({ serverId });
    expect(answer.path).to.equal(path.join(running.dataRoot, 'servers', serverId));
    const expected =
      process.getuid?.() === 0 ? { uid: 988, gid: 988 } : { uid: process.getuid?.(), gid: process.getgid?.() };
    expect(answer).to.include(expected);
    const stats = await stat(answer.path);
    expect(stats).to.include(expected);
    expect(stats.mode & 0o777).to.equal(0o750);
  });

  it('creates a volume again without loss', async () => {
    const { serverId, directory } = await newVolume(running);
    await writeFile(path.join(directory, 'world'), 'partial');
    await chmod(directory, 0o777);
    await running.volumes.createVolume({ serverId });
    expect(await readdir(directory)).to.deep.equal(['world']);
    expect((await stat(directory)).mode & 0o777).to.equal(0o750);
  });

  it('creates a volume once for 50 concurrent requests', async () => {
    const serverId = randomUUID();
    const calls = Array.from({ length: 50 }, async () => running.volumes.createVolume({ serverId }));
    expect(new Set((await Promise.all(calls)).map((answer) => answer.path)).size).to.equal(1);
  });

  it('creates no volume through a link', async () => {
    const serverId = randomUUID();
    const elsewhere = path.join(running.dataRoot, 'elsewhere');
    await mkdir(elsewhere, { recursive: true });
    await symlink(elsewhere, path.join(running.dataRoot, 'servers', serverId));
    expect(await reasonOf(running.volumes.createVolume({ serverId }))).not.to.equal('none');
    const grant = running.grant(serverId, 'file.read');
    expect(await reasonOf(running.files.listDirectory({ grant, directory: '/', page: undefined }))).to.equal(
      'VOLUME_NOT_FOUND',
    );
  });

  it('deletes a volume with its content, and again without error', async () => {
    const { serverId, directory } = await newVolume(running);
    await mkdir(path.join(directory, 'a/b'), { recursive: true });
    await writeFile(path.join(directory, 'a/b/c'), 'x');
    await running.volumes.deleteVolume({ serverId });
    await running.volumes.deleteVolume({ serverId });
    expect(await readdir(path.join(running.dataRoot, 'servers'))).not.to.include(serverId);
    expect(await readdir(path.join(running.dataRoot, 'trash'))).to.deep.equal([]);
  });

  it('deletes a volume once for 50 concurrent requests', async () => {
    const { serverId } = await newVolume(running);
    await Promise.all(Array.from({ length: 50 }, async () => running.volumes.deleteVolume({ serverId })));
    expect(await reasonOf(running.volumes.getVolumeUsage({ serverId }))).to.equal('VOLUME_NOT_FOUND');
  });

  it('reports the disk usage of a volume', async () => {
    const { serverId, directory } = await newVolume(running);
    await writeFile(path.join(directory, 'world'), Buffer.alloc(256 * 1024, 1));
    const { usedBytes } = await running.volumes.getVolumeUsage({ serverId });
    expect(usedBytes).to.be.within(256 * 1024, 300 * 1024);
    await writeFile(path.join(directory, 'world2'), Buffer.alloc(256 * 1024, 1));
    expect((await running.volumes.getVolumeUsage({ serverId })).usedBytes).to.equal(usedBytes);
  });

  it('reports no usage of an unknown server', async () => {
    expect(await reasonOf(running.volumes.getVolumeUsage({ serverId: randomUUID() }))).to.equal('VOLUME_NOT_FOUND');
  });

  for (const serverId of ['', '.', '..', '../outside', 'a/b', randomUUID().toUpperCase(), `${randomUUID()}/..`, '\0']) {
    it(`creates no volume for ${JSON.stringify(serverId)}`, async () => {
      for (const call of [running.volumes.createVolume, running.volumes.deleteVolume, running.volumes.getVolumeUsage]) {
        expect(await reasonOf(call({ serverId }))).to.equal('INVALID_FIELDS');
      }
    });
  }

  it('requires an internal service for volumes', async () => {
    const actorToken = running.tokenOf({
      kind: 'user',
      userId: randomUUID(),
      permissions: ['*'],
      method: 'session',
      credentialId: randomUUID(),
      ip: '192.0.2.1',
    });
    const { serverId } = await newVolume(running);
    for (const call of [running.volumes.createVolume, running.volumes.deleteVolume, running.volumes.getVolumeUsage]) {
      expect(await reasonOf(call({ serverId }, { actorToken }))).to.equal('SERVICE_REQUIRED');
    }
  });

  it('requires a usable data root and reports in one line when it is not', async () => {
    const file = path.join(running.dataRoot, 'a-file');
    await writeFile(file, '');
    const failure = await openVolumes(path.join(file, 'below'), { uid: 988, gid: 988 }).catch(
      (error: unknown) => error,
    );
    expect(failure)
      .to.be.instanceOf(ConfigError)
      .with.property('message')
      .that.matches(/^DATA_ROOT cannot be used \(.+\): .+$/);
  });

  it('reports not ready when the data root is missing', async () => {
    const own = await startTestFiles();
    const ready = async () => (await fetch(`http://${own.metrics}/readyz`)).status;
    expect(await ready()).to.equal(200);
    await rename(path.join(own.dataRoot, 'servers'), path.join(own.dataRoot, 'away'));
    await waitUntil('readiness to notice', async () => (await ready()) === 503);
    await own.stop();
  });
});
