import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ChildFiles, startChildFiles } from '../child.js';
import { reasonOf } from '../harness.js';
import { beginReceiving, fingerprint, lastOf, makeBulk, makeOddTree, receiveRequest } from '../transfer-trees.js';

const megabyte = 1024 * 1024;

describe('volume transfer over crashes', function () {
  this.timeout(90_000);
  let source: ChildFiles;
  let target: ChildFiles;
  before(async () => {
    [source, target] = await Promise.all([startChildFiles(), startChildFiles()]);
  });
  after(async () => Promise.all([source.stop(), target.stop()]));

  async function makeVolume(): Promise<{ serverId: string; directory: string }> {
    const serverId = randomUUID();
    const { path: directory } = await source.volumes.createVolume({ serverId });
    await makeOddTree(directory);
    await makeBulk(directory, 80, 100);
    return { serverId, directory };
  }
  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);

  async function expectRest(serverId: string, operationId: string, directory: string): Promise<void> {
    expect(await readdir(path.join(target.dataRoot, 'servers'))).not.to.include(serverId);
    const again = await beginReceiving(target, receiveRequest(source, serverId, operationId));
    expect(again.first.bytesDone, 'bytes kept').to.be.at.least(10 * megabyte);
    await again.end;
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
  }

  it('resumes after the source was killed', async () => {
    const { serverId, directory } = await makeVolume();
    const operationId = randomUUID();
    const receiving = await beginReceiving(target, receiveRequest(source, serverId, operationId), 30 * megabyte);
    await source.kill();
    expect(await reasonOf(receiving.end)).to.equal('SOURCE_UNAVAILABLE');
    await source.start();
    await expectRest(serverId, operationId, directory);
  });

  it('resumes after the target was killed', async () => {
    const { serverId, directory } = await makeVolume();
    const operationId = randomUUID();
    const receiving = await beginReceiving(target, receiveRequest(source, serverId, operationId), 30 * megabyte);
    await target.kill();
    expect(await reasonOf(receiving.end)).not.to.equal('none');
    await target.start();
    await expectRest(serverId, operationId, directory);
  });

  it('installs the volume once, wherever the target is killed', async () => {
    const { serverId, directory } = await makeVolume();
    const operationId = randomUUID();
    // from the first byte to the comparison at the end
    for (const minBytes of [1, 20 * megabyte, 50 * megabyte, 88 * megabyte]) {
      const receiving = await beginReceiving(target, receiveRequest(source, serverId, operationId), minBytes);
      await target.kill();
      await reasonOf(receiving.end);
      await target.start();
    }
    const { last } = await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, operationId)));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    const verified = await source.volumes.verifyVolume({ serverId });
    expect(last?.end?.value).to.include(verified);
  });

  it('finds the installed volume after a crash following the installation', async () => {
    const { serverId } = await makeVolume();
    const request = receiveRequest(source, serverId);
    const first = await lastOf(target.volumes.receiveVolume(request));
    await target.kill();
    await target.start();
    const again = await lastOf(target.volumes.receiveVolume({ ...request, sourceAddress: '127.0.0.1:1' }));
    expect(again.last?.end).to.deep.equal(first.last?.end);
    await target.volumes.discardVolumeTransfer({ serverId, operationId: request.operationId });
    expect(await readdir(path.join(target.dataRoot, 'servers'))).not.to.include(serverId);
  });

  it('does not install a tree that lost entries while the target was down', async () => {
    const { serverId, directory } = await makeVolume();
    const request = receiveRequest(source, serverId);
    const receiving = await beginReceiving(target, request, 30 * megabyte);
    await target.kill();
    await reasonOf(receiving.end);
    const tree = path.join(target.dataRoot, 'transfers', request.operationId, 'tree');

    await rm(path.join(tree, 'a'), { recursive: true });
    await mkdir(path.join(tree, 'a'));
    await target.start();
    expect(await reasonOf(lastOf(target.volumes.receiveVolume(request)))).to.equal('TREE_MISMATCH');
    await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, request.operationId)));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
  });
});

describe('volume transfer between unprivileged services', function () {
  this.timeout(90_000);
  const user = process.getuid?.() === 0 ? { uid: 988, gid: 988 } : undefined;
  let source: ChildFiles;
  let target: ChildFiles;
  before(async () => {
    [source, target] = await Promise.all([startChildFiles(user), startChildFiles(user)]);
  });
  after(async () => Promise.all([source.stop(), target.stop()]));

  async function makeVolume(): Promise<{ serverId: string; directory: string }> {
    const serverId = randomUUID();
    const { path: directory } = await source.volumes.createVolume({ serverId });
    await makeOddTree(directory);
    await makeBulk(directory, 40, 20);
    if (user) await promisify(execFile)('chown', ['-hR', `${user.uid}:${user.gid}`, directory]);
    return { serverId, directory };
  }
  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);

  it('copies read-only directories, resumes after a crash and can be deleted', async () => {
    const { serverId, directory } = await makeVolume();
    const operationId = randomUUID();
    // behind the last large file comes the sealed directory
    const receiving = await beginReceiving(target, receiveRequest(source, serverId, operationId), 40 * megabyte);
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
