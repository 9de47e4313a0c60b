import { randomUUID } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deferred, waitUntil } from '@panel/kit/testing';
import type { WriteFileRequest } from '@panel/protos/files';
import { expect } from 'chai';
import { type ChildFiles, startChildFiles } from '../child.js';
import {
  exportGrant,
  fileGrant,
  newVolume,
  readAll,
  reasonOf,
  type RunningFiles,
  startTestFiles,
  writeAll,
} from '../harness.js';

describe('volume freeze', function () {
  this.timeout(180_000);
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  const operationId = randomUUID();
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await writeFile(path.join(directory, 'a.txt'), 'a');
  });

  const freeze = async (operation = operationId, freezeId = '') =>
    running.volumes.freezeVolume({ serverId, operationId: operation, freezeId }, { timeoutMs: 30_000 });
  const thaw = async (operation = operationId) => running.volumes.thawVolume({ serverId, operationId: operation });
  const write = async (name = '/b.txt') =>
    writeAll(running, { grant: running.grant(serverId, 'file.update'), path: name }, 'b');
  const grant = (permission: string) => running.grant(serverId, permission);
  const digest = async () => (await running.volumes.verifyVolume({ serverId }, { timeoutMs: 30_000 })).treeSha256;
  const marks = async () =>
    (await readdir(path.join(running.dataRoot, 'transfers'))).filter((name) => name.startsWith(serverId));

  function slowUpload() {
    const more = deferred();
    const begun = deferred();
    async function* parts(): AsyncGenerator<WriteFileRequest> {
      const start = { grant: grant('file.update'), path: '/slow.bin', sizeBytes: 0, ifMatchSha256: '' };
      yield { part: { $case: 'start', value: start } };
      yield { part: { $case: 'chunk', value: Buffer.from('slow') } };
      begun.resolve();
      await more.promise;
      yield { part: { $case: 'finish', value: { sizeBytes: 4 } } };
    }
    const answer = running.files.writeFile(parts(), { timeoutMs: 60_000 });
    answer.catch(() => undefined);
    const isUnderWay = waitUntil('the upload to be under way', async () =>
      (await readdir(directory)).some((name) => name.endsWith('.part')),
    );
    return { answer, isUnderWay, end: () => more.resolve() };
  }

  it('refuses every change and allows every read', async () => {
    await freeze();
    const before = await digest();
    const { files } = running;
    const refused = await Promise.all(
      [
        write(),
        write('/a.txt'),
        files.createDirectory({ grant: grant('file.create'), path: '/new' }),
        files.copyFile({ grant: grant('file.create'), path: '/a.txt', to: '' }),
        files.renameFiles({ grant: grant('file.update'), root: '', files: [{ from: 'a.txt', to: 'z.txt' }] }),
        files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['a.txt'] }),
      ].map(reasonOf),
    );
    expect(new Set(refused)).to.deep.equal(new Set(['SERVER_LOCKED']));
    expect(await digest()).to.equal(before);
    expect(await readdir(directory)).to.deep.equal(['a.txt']);
    expect((await readAll(running, { grant: grant('file.read-content'), path: '/a.txt' })).toString()).to.equal('a');
    const request = {
      grant: exportGrant(serverId, operationId),
      afterPath: Buffer.alloc(0),
      partial: undefined,
    };
    for await (const _message of running.volumes.exportVolume(request)) continue;
  });

  it('ends by a thaw, which may be repeated', async () => {
    const one = await freeze();
    expect((await freeze()).freezeId).to.equal(one.freezeId);
    await thaw();
    await thaw();
    expect(await reasonOf(write())).to.equal('none');
    expect(await reasonOf(freeze(operationId, one.freezeId))).to.equal('VOLUME_THAWED');
    expect(await marks()).to.deep.equal([]);
    expect((await freeze()).freezeId).not.to.equal(one.freezeId);
  });

  it('lasts while any operation needs it', async () => {
    const other = randomUUID();
    await Promise.all([freeze(), freeze(other)]);
    await thaw();
    expect(await reasonOf(write())).to.equal('SERVER_LOCKED');
    await thaw(other);
    expect(await reasonOf(write())).to.equal('none');
  });

  it('lets operations in progress finish in time', async () => {
    const upload = slowUpload();
    await upload.isUnderWay;
    let isFrozen = false;
    const freezing = freeze().then(() => (isFrozen = true));
    await waitUntil('new changes to be refused', async () => (await reasonOf(write())) === 'SERVER_LOCKED');
    expect(isFrozen).to.equal(false);
    upload.end();
    await upload.answer;
    await freezing;
    expect((await readdir(directory)).toSorted()).to.include('slow.bin');
  });

  it('cancels an upload that is held open', async () => {
    const upload = slowUpload();
    await upload.isUnderWay;
    await freeze();
    expect(await readdir(directory)).not.to.include('slow.bin');
    expect(await reasonOf(upload.answer)).to.equal('SERVER_LOCKED');
    upload.end();
    await waitUntil('its beginning to be gone', async () =>
      (await readdir(directory)).every((n) => !n.endsWith('.part')),
    );
  });

  it('keeps every acknowledged write of 50 concurrent ones and refuses the later ones', async () => {
    const writes = Array.from({ length: 50 }, (_, at) => write(`/file-${at}.txt`).then(() => `file-${at}.txt`));
    const settled = Promise.allSettled(writes);
    await writes[0];
    await freeze();
    const [names, before] = [await readdir(directory), await digest()];
    for (const [at, result] of (await settled).entries()) {
      if (result.status === 'fulfilled') expect(names).to.include(result.value);
      else {
        expect(await reasonOf(Promise.reject(result.reason as Error))).to.equal('SERVER_LOCKED');
        expect(names).not.to.include(`file-${at}.txt`);
      }
    }
    expect(await digest()).to.equal(before);
  });

  it('deletes a freeze with its volume', async () => {
    const { freezeId } = await freeze();
    await running.volumes.deleteVolume({ serverId });
    await running.volumes.createVolume({ serverId });
    expect(await reasonOf(write())).to.equal('none');
    expect(await reasonOf(freeze(operationId, freezeId))).to.equal('VOLUME_THAWED');
    expect(await marks()).to.deep.equal([]);
  });

  it('expires when it is not renewed, over a restart too', async () => {
    const { freezeId } = await freeze();
    const [mark] = await marks();
    const past = new Date(Date.now() - 1_000);
    await utimes(path.join(running.dataRoot, 'transfers', mark ?? ''), past, past);
    await running.restart();
    expect(await reasonOf(write())).to.equal('none');
    expect(await reasonOf(freeze(operationId, freezeId))).to.equal('VOLUME_THAWED');
    expect(await marks()).to.deep.equal([]);
  });

  it('requires an internal service and a valid id', async () => {
    for (const bad of ['', '..', 'x/../y', serverId.toUpperCase()]) {
      expect(await reasonOf(running.volumes.freezeVolume({ serverId: bad, operationId, freezeId: '' }))).to.equal(
        'INVALID_FIELDS',
      );
      expect(await reasonOf(running.volumes.thawVolume({ serverId, operationId: bad }))).to.equal('INVALID_FIELDS');
    }
    expect(await reasonOf(freeze(operationId, '../../etc'))).to.equal('VOLUME_THAWED');
  });
});

describe('volume freeze over a crash of the service', function () {
  this.timeout(180_000);
  let child: ChildFiles;
  before(async () => {
    child = await startChildFiles();
  });
  after(async () => child.stop());

  const mkdir = async (serverId: string) =>
    child.files.createDirectory({ grant: fileGrant(serverId, 'file.create'), path: '/new' });

  it('keeps a freeze with its id over a crash of the service', async () => {
    const [serverId, operationId] = [randomUUID(), randomUUID()];
    await child.volumes.createVolume({ serverId });
    const { freezeId } = await child.volumes.freezeVolume({ serverId, operationId, freezeId: '' });
    await child.kill();
    await child.start();
    expect(await reasonOf(mkdir(serverId))).to.equal('SERVER_LOCKED');
    await child.volumes.freezeVolume({ serverId, operationId, freezeId });
    await child.volumes.thawVolume({ serverId, operationId });
    await child.kill();
    await child.start();
    expect(await reasonOf(mkdir(serverId))).to.equal('none');
  });
});
