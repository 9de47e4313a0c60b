import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ChildFiles, startChildFiles } from '../child.js';
import { reasonOf } from '../harness.js';
import { type PacedLine, startPacedLine } from '../paced-line.js';
import {
  beginReceiving,
  fingerprint,
  identityOf,
  lastOf,
  makeBulk,
  makeHuge,
  makeOddTree,
  receiveRequest,
} from '../transfer-trees.js';

const megabyte = 1024 * 1024;

describe('volume transfer over crashes', function () {
  this.timeout(180_000);
  let source: ChildFiles;
  let target: ChildFiles;
  let line: PacedLine;
  before(async () => {
    [source, target] = await Promise.all([startChildFiles(), startChildFiles()]);
    line = await startPacedLine(() => source.address);
  });
  after(async () => {
    line.stop();
    await Promise.all([source.stop(), target.stop()]);
  });

  async function makeVolume(): Promise<{ serverId: string; directory: string }> {
    const serverId = randomUUID();
    const { path: directory } = await source.volumes.createVolume({ serverId });
    await makeOddTree(directory);
    await makeBulk(directory, 10, 100);
    return { serverId, directory };
  }
  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);

  it('resumes and installs the volume once, wherever source and target are killed', async () => {
    const { serverId, directory } = await makeVolume();
    const request = () => receiveRequest(line, serverId, operationId);
    const operationId = randomUUID();
    const steps = [
      { victim: target, minBytes: 1 },
      { victim: source, minBytes: 5 * megabyte },
      // the final verification
      { victim: target, minBytes: (await source.volumes.verifyVolume({ serverId })).bytes },
    ];
    for (const { victim, minBytes } of steps) {
      const receiving = await beginReceiving(target, request(), minBytes);
      await victim.kill();
      const reason = await reasonOf(receiving.end);
      if (victim === source) expect(reason).to.equal('SOURCE_UNAVAILABLE');
      await victim.start();
    }
    const again = await beginReceiving(target, request());
    expect(again.first.bytesDone, 'bytes kept').to.be.at.least(5 * megabyte);
    const end = (await again.end)?.end;
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    expect(end?.value).to.include(await source.volumes.verifyVolume({ serverId }));

    await target.kill();
    await target.start();
    const repeated = await lastOf(target.volumes.receiveVolume({ ...request(), sourceAddress: '127.0.0.1:1' }));
    expect(repeated.last?.end).to.deep.equal(end);
    await target.volumes.discardVolumeTransfer({ serverId, operationId });
    expect(await readdir(path.join(target.dataRoot, 'servers'))).not.to.include(serverId);
  });

  it('appends to one large file after crashes on both sides', async () => {
    const serverId = randomUUID();
    const { path: directory } = await source.volumes.createVolume({ serverId });
    await makeHuge(path.join(directory, 'atlas'), 15);
    const operationId = randomUUID();
    const partial = path.join(target.dataRoot, 'transfers', operationId, 'tree/atlas');
    let identity = '';
    let size = 0;
    for (const [at, victim] of [source, target].entries()) {
      const minBytes = (at + 1) * 5 * megabyte;
      const receiving = await beginReceiving(target, receiveRequest(line, serverId, operationId), minBytes);
      await victim.kill();
      await reasonOf(receiving.end);
      await victim.start();
      identity ||= await identityOf(partial);
      expect(await identityOf(partial)).to.equal(identity);
      const now = (await stat(partial)).size;
      expect(now).to.be.at.least(size);
      size = now;
    }
    await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, operationId)));
    expect(await identityOf(path.join(placeOf(serverId), 'atlas'))).to.equal(identity);
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    expect(await readdir(placeOf(serverId))).to.deep.equal(['atlas']);
  });
});

describe('volume transfer between unprivileged services', function () {
  this.timeout(180_000);
  const user = process.getuid?.() === 0 ? { uid: 988, gid: 988 } : undefined;
  let source: ChildFiles;
  let target: ChildFiles;
  let line: PacedLine;
  before(async () => {
    [source, target] = await Promise.all([startChildFiles(user), startChildFiles(user)]);
    line = await startPacedLine(() => source.address);
  });
  after(async () => {
    line.stop();
    await Promise.all([source.stop(), target.stop()]);
  });

  async function makeVolume(): Promise<{ serverId: string; directory: string }> {
    const serverId = randomUUID();
    const { path: directory } = await source.volumes.createVolume({ serverId });
    await makeOddTree(directory);
    await makeBulk(directory, 8, 20);
    if (user) await promisify(execFile)('chown', ['-hR', `${user.uid}:${user.gid}`, directory]);
    return { serverId, directory };
  }
  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);

  it('copies read-only directories, resumes after a crash and can be deleted', async () => {
    const { serverId, directory } = await makeVolume();
    const operationId = randomUUID();
    // the sealed directory follows the last large file
    const receiving = await beginReceiving(target, receiveRequest(line, serverId, operationId), 8 * megabyte);
    await target.kill();
    await reasonOf(receiving.end);
    await target.start();
    await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, operationId)));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    await target.volumes.discardVolumeTransfer({ serverId, operationId });
    const remaining = async () => (await readdir(path.join(target.dataRoot, 'trash'))).length;
    await waitUntil('everything to be removed', async () => (await remaining()) === 0);
  });

  it('names the file that cannot be read', async function () {
    if (!user) this.skip();
    const { serverId, directory } = await makeVolume();
    await writeFile(path.join(directory, 'closed'), 'x', { mode: 0o600 });
    const receiving = lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId)));
    const failure = await receiving.catch((error: unknown) => error);
    expect(failure).to.have.property('reason', 'FILE_INACCESSIBLE');
    expect(failure).to.have.property('metadata').that.deep.equals({ path: 'closed' });
  });
});
