import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import type { ReceiveVolumeRequest } from '@panel/protos/files';
import { expect } from 'chai';
import { bytesRead, newVolume, readingToPause, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';
import { type PacedLine, startPacedLine } from '../paced-line.js';
import {
  beginReceiving,
  fingerprint,
  lastOf,
  makeBulk,
  makeOddTree,
  ownersIn,
  receiveRequest,
} from '../transfer-trees.js';

const megabyte = 1024 * 1024;

describe('volume transfer', function () {
  this.timeout(180_000);
  let source: RunningFiles;
  let target: RunningFiles;
  let line: PacedLine;
  before(async () => {
    [source, target] = await Promise.all([startTestFiles(), startTestFiles()]);
    line = await startPacedLine(() => source.address);
  });
  after(async () => {
    line.stop();
    await Promise.all([source.stop(), target.stop()]);
  });

  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);
  const receive = async (request: ReceiveVolumeRequest) => lastOf(target.volumes.receiveVolume(request));
  const reasonOfReceiving = async (request: ReceiveVolumeRequest) => reasonOf(receive(request));
  const exists = async (at: string) =>
    stat(at).then(
      () => true,
      () => false,
    );

  it('copies unusual entries and computes equal digests on both sides', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeOddTree(directory);
    const { last } = await receive(receiveRequest(source, serverId));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    const { skipped, ...finished } = last?.end?.value ?? {};
    expect(skipped, 'the pipe').to.equal(1);
    expect(await source.volumes.verifyVolume({ serverId })).to.deep.equal(finished);
    expect(await target.volumes.verifyVolume({ serverId })).to.deep.equal(finished);
  });

  it('assigns the game user, closes access for others, drops set-user-id bits and keeps files sparse', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeOddTree(directory);
    await receive(receiveRequest(source, serverId));
    const [there, here] = await Promise.all([stat(directory), stat(placeOf(serverId))]);
    expect(here).to.include({ mode: there.mode, uid: there.uid, gid: there.gid });
    expect(await ownersIn(placeOf(serverId))).to.deep.equal([`${there.uid}:${there.gid}`]);
    expect((await stat(path.join(placeOf(serverId), 'run.sh'))).mode & 0o7777).to.equal(0o755);
    const sparse = await stat(path.join(placeOf(serverId), 'sparse'));
    expect(sparse.size).to.equal(8 * 1024 * 1024);
    expect(sparse.blocks * 512).to.be.lessThan(1024 * 1024);
  });

  it('reports progress and leaves no other files', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 20, 300);
    const operationId = randomUUID();
    const seen: { bytesDone: number; bytesTotal: number; phase: string }[] = [];
    for await (const message of target.volumes.receiveVolume(receiveRequest(source, serverId, operationId))) {
      seen.push(message);
    }
    const done = seen.map(({ bytesDone }) => bytesDone);
    expect(done).to.deep.equal(done.toSorted((a, b) => a - b));
    const last = seen.at(-1);
    expect(last).to.include({ phase: 'PHASE_FINISHED', bytesDone: last?.bytesTotal });
    const total = (await source.volumes.verifyVolume({ serverId })).bytes;
    for (const { phase, bytesTotal } of seen) expect(bytesTotal).to.equal(phase === 'PHASE_MEASURING' ? 0 : total);
    expect(await readdir(path.join(target.dataRoot, 'transfers'))).not.to.include(operationId);
    await waitUntil(
      'the trash to be empty',
      async () => (await readdir(path.join(target.dataRoot, 'trash'))).length === 0,
    );
  });

  it('copies an empty volume over an empty one', async () => {
    const { serverId } = await newVolume(source);
    await target.volumes.createVolume({ serverId });
    const { last } = await receive(receiveRequest(source, serverId));
    expect(last?.end?.value).to.include({ entries: 0, bytes: 0 });
    expect(await readdir(placeOf(serverId))).to.deep.equal([]);
  });

  it('answers a completed operation again without its source', async () => {
    const { serverId, directory } = await newVolume(source);
    await writeFile(path.join(directory, 'world'), 'x');
    const request = receiveRequest(source, serverId);
    const first = await receive(request);
    await writeFile(path.join(placeOf(serverId), 'played'), 'y');
    const again = await receive({ ...request, sourceAddress: '127.0.0.1:1' });
    expect(again.last?.end).to.deep.equal(first.last?.end);
    expect(await readdir(placeOf(serverId))).to.include('played');
  });

  it('ignores a completion mark written before a crash without its volume', async () => {
    const { serverId, directory } = await newVolume(source);
    await writeFile(path.join(directory, 'world'), 'x');
    const request = receiveRequest(source, serverId);
    const { operationId } = request;
    const mark = { operationId, directory: '1:1', bytes: 1, entries: 1, skipped: 0, treeSha256: 'x' };
    const markFile = path.join(target.dataRoot, 'transfers', `${serverId}.mark`);
    await target.volumes.createVolume({ serverId });
    await writeFile(markFile, JSON.stringify(mark));
    await receive(request);
    expect(await readdir(placeOf(serverId))).to.deep.equal(['world']);
    await writeFile(markFile, JSON.stringify(mark));
    await target.volumes.discardVolumeTransfer({ serverId, operationId });
    expect(await readdir(placeOf(serverId)), 'after the discard').to.deep.equal(['world']);
  });

  it('does not replace a volume with content', async () => {
    const { serverId, directory } = await newVolume(source);
    await writeFile(path.join(directory, 'world'), 'new');
    await target.volumes.createVolume({ serverId });
    await writeFile(path.join(placeOf(serverId), 'world'), 'old');
    expect(await reasonOfReceiving(receiveRequest(source, serverId))).to.equal('VOLUME_EXISTS');
    expect(await readdir(placeOf(serverId))).to.deep.equal(['world']);
  });

  it('does not replace a volume of another operation, even an empty one', async () => {
    const { serverId } = await newVolume(source);
    await receive(receiveRequest(source, serverId));
    expect(await reasonOfReceiving(receiveRequest(source, serverId))).to.equal('VOLUME_EXISTS');
  });

  it('does not replace a volume created during the copy', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 4, 0);
    const receiving = await beginReceiving(target, receiveRequest(line, serverId));
    await target.volumes.createVolume({ serverId });
    await writeFile(path.join(placeOf(serverId), 'world'), 'mine');
    expect(await reasonOf(receiving.end)).to.equal('VOLUME_EXISTS');
    expect(await readdir(placeOf(serverId))).to.deep.equal(['world']);
  });

  it('continues after its caller disconnected', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 12, 50);
    const request = receiveRequest(line, serverId);
    const receiving = await beginReceiving(target, request, 4 * megabyte);
    receiving.cancel();
    expect(await reasonOf(receiving.end)).not.to.equal('none');
    expect(await exists(placeOf(serverId))).to.equal(false);
    await waitUntil(
      'the pull to stop',
      async () => !(await openPaths()).some((at) => at.includes(request.operationId)),
    );
    const again = await beginReceiving(target, { ...request, sourceAddress: source.address });
    expect(again.first.bytesDone, 'bytes kept').to.be.at.least(3 * megabyte);
    await again.end;
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
  });

  for (const [how, bytes] of [
    ['is another one of the same size', megabyte],
    ['is shorter', 1],
  ] as const) {
    it(`does not trust a file of an earlier pull that ${how} since`, async () => {
      const { serverId, directory } = await newVolume(source);
      await makeBulk(directory, 8, 0);
      const request = receiveRequest(source, serverId);
      const paced = receiveRequest(line, serverId, request.operationId);
      const receiving = await beginReceiving(target, paced, 3 * megabyte);
      receiving.cancel();
      await reasonOf(receiving.end);
      await writeFile(path.join(directory, 'region-0000'), Buffer.alloc(bytes, 7));
      expect(await reasonOfReceiving(request)).to.equal('TREE_MISMATCH');
      expect(await exists(placeOf(serverId))).to.equal(false);
      await receive(request);
      expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    });
  }

  it('copies once for 20 callers of one operation and continues when some disconnect', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 5, 20);
    const request = receiveRequest(line, serverId);
    const receiving = await beginReceiving(target, request);
    const others = Array.from({ length: 19 }, async () => receive(request));
    receiving.cancel();
    const ends = new Set((await Promise.all(others)).map(({ last }) => JSON.stringify(last?.end)));
    expect(ends.size).to.equal(1);
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
  });

  it('accepts one operation at a time', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 8, 0);
    const request = receiveRequest(line, serverId);
    const receiving = await beginReceiving(target, request);
    expect(await reasonOfReceiving(receiveRequest(source, serverId))).to.equal('TRANSFER_IN_PROGRESS');
    const { serverId: otherId } = await newVolume(source);
    expect(await reasonOfReceiving(receiveRequest(source, otherId, request.operationId))).to.equal(
      'TRANSFER_IN_PROGRESS',
    );
    receiving.cancel();
    await reasonOf(receiving.end);
    await waitUntil(
      'another one to be let in',
      async () => (await reasonOfReceiving(receiveRequest(source, serverId))) === 'none',
    );
  });

  it('reports a missing source or volume', async () => {
    const { serverId } = await newVolume(source);
    const away = { ...receiveRequest(source, serverId), sourceAddress: '127.0.0.1:1' };
    expect(await reasonOfReceiving(away)).to.equal('SOURCE_UNAVAILABLE');
    expect(await reasonOfReceiving(receiveRequest(source, randomUUID()))).to.equal('VOLUME_NOT_FOUND');
  });

  it('refuses the whole volume for a path that cannot be opened, and names it', async () => {
    const { serverId, directory } = await newVolume(source);
    const before = process.cwd();
    try {
      process.chdir(directory);
      for (let level = 0; level < 20; level += 1) {
        await mkdir('x'.repeat(220));
        process.chdir('x'.repeat(220));
      }
    } finally {
      process.chdir(before);
    }
    expect(await reasonOfReceiving(receiveRequest(source, serverId))).to.equal('TREE_UNSUPPORTED');
    // the runtime's removal cannot open such a path either
    await source.volumes.deleteVolume({ serverId });
  });

  it('excludes files of uploads in progress', async () => {
    const { serverId, directory } = await newVolume(source);
    await writeFile(path.join(directory, `.panel-${randomUUID()}.part`), 'half of something');
    await writeFile(path.join(directory, 'world'), 'x');
    await receive(receiveRequest(source, serverId));
    expect(await readdir(placeOf(serverId))).to.deep.equal(['world']);
  });

  it('fails with FILE_CHANGED when a file changes while it is read', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 20, 0);
    const operationId = randomUUID();
    const grant = source.exportGrant(serverId, operationId);
    const readOn = async () => {
      let isChanged = false;
      for await (const { parts } of source.volumes.exportVolume({
        grant,
        afterPath: Buffer.alloc(0),
        partial: undefined,
      })) {
        if (isChanged || !parts.some(({ part }) => part?.$case === 'chunk')) continue;
        isChanged = true;
        await utimes(path.join(directory, 'region-0000'), new Date(), new Date());
      }
    };
    expect(await reasonOf(readOn())).to.equal('FILE_CHANGED');
  });

  it('reads no faster than the target receives', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeBulk(directory, 100, 0);
    const grant = source.exportGrant(serverId, randomUUID());
    const before = await bytesRead();
    for await (const { parts } of source.volumes.exportVolume({
      grant,
      afterPath: Buffer.alloc(0),
      partial: undefined,
    })) {
      if (!parts.some(({ part }) => part?.$case === 'chunk')) continue;
      await readingToPause();
      break;
    }
    expect((await bytesRead()) - before).to.be.lessThan(40 * megabyte);
  });

  describe('DiscardTransfer', () => {
    const discard = async (serverId: string, operationId: string) =>
      target.volumes.discardVolumeTransfer({ serverId, operationId });

    it('stops the copy, removes it and prevents a restart', async () => {
      const { serverId, directory } = await newVolume(source);
      await makeBulk(directory, 8, 0);
      const request = receiveRequest(line, serverId);
      const receiving = await beginReceiving(target, request);
      await Promise.all(Array.from({ length: 20 }, async () => discard(serverId, request.operationId)));
      expect(await reasonOf(receiving.end)).to.equal('TRANSFER_DISCARDED');
      expect(await reasonOfReceiving(request)).to.equal('TRANSFER_DISCARDED');
      expect(await readdir(path.join(target.dataRoot, 'transfers'))).not.to.include(request.operationId);
      expect(await exists(placeOf(serverId))).to.equal(false);
    });

    it('removes an installed volume', async () => {
      const { serverId, directory } = await newVolume(source);
      await writeFile(path.join(directory, 'world'), 'x');
      const request = receiveRequest(source, serverId);
      await receive(request);
      await discard(serverId, request.operationId);
      await discard(serverId, request.operationId);
      expect(await exists(placeOf(serverId))).to.equal(false);
      expect(await reasonOfReceiving(request)).to.equal('TRANSFER_DISCARDED');
      expect(await reasonOfReceiving(receiveRequest(source, serverId))).to.equal('none');
    });

    it('keeps a volume of another operation', async () => {
      const { serverId } = await newVolume(source);
      await receive(receiveRequest(source, serverId));
      await discard(serverId, randomUUID());
      expect(await exists(placeOf(serverId))).to.equal(true);
    });

    it('keeps a volume that was replaced since', async () => {
      const { serverId } = await newVolume(source);
      const request = receiveRequest(source, serverId);
      await receive(request);
      await target.volumes.deleteVolume({ serverId });
      await target.volumes.createVolume({ serverId });
      await discard(serverId, request.operationId);
      expect(await exists(placeOf(serverId))).to.equal(true);
    });

    it('keeps a volume that another operation brought back', async () => {
      const { serverId } = await newVolume(source);
      const request = receiveRequest(source, serverId);
      await receive(request);
      await target.volumes.deleteVolume({ serverId });
      await receive(receiveRequest(source, serverId));
      await discard(serverId, request.operationId);
      expect(await exists(placeOf(serverId))).to.equal(true);
    });
  });

  it('prevents its operation from restoring a deleted volume', async () => {
    const { serverId } = await newVolume(source);
    const request = receiveRequest(source, serverId);
    await receive(request);
    await target.volumes.deleteVolume({ serverId });
    expect(await reasonOfReceiving(request)).to.equal('TRANSFER_DISCARDED');
    expect(await exists(placeOf(serverId))).to.equal(false);
  });

  describe('volume export', () => {
    it('requires an export grant for this server and operation', async () => {
      const { serverId } = await newVolume(source);
      const fileGrant = source.grant(serverId, 'file.read');
      for (const grant of ['', fileGrant]) {
        const exporting = source.volumes.exportVolume({
          grant,
          afterPath: Buffer.alloc(0),
          partial: undefined,
        });
        expect(await reasonOf(lastMessage(exporting))).to.equal('GRANT_INVALID');
        expect(await reasonOfReceiving({ ...receiveRequest(source, serverId), grant })).to.equal('GRANT_INVALID');
      }
      for (const grant of [
        source.exportGrant(serverId, randomUUID()),
        source.exportGrant(randomUUID(), randomUUID()),
      ]) {
        expect(await reasonOfReceiving({ ...receiveRequest(source, serverId), grant })).to.equal('GRANT_INSUFFICIENT');
      }
    });

    it('requires an internal service', async () => {
      const { serverId } = await newVolume(source);
      const actorToken = source.tokenOf({
        kind: 'user',
        userId: randomUUID(),
        permissions: ['*'],
        method: 'session',
        credentialId: randomUUID(),
        ip: '192.0.2.1',
      });
      const request = receiveRequest(source, serverId);
      const { grant, operationId } = request;
      const { volumes } = source;
      for (const call of [
        lastMessage(volumes.exportVolume({ grant, afterPath: Buffer.alloc(0), partial: undefined }, { actorToken })),
        lastMessage(volumes.receiveVolume(request, { actorToken })),
        volumes.discardVolumeTransfer({ serverId, operationId }, { actorToken }),
        volumes.verifyVolume({ serverId }, { actorToken }),
        volumes.getDataRoot({}, { actorToken }),
      ]) {
        expect(await reasonOf(call)).to.equal('SERVICE_REQUIRED');
      }
    });

    it('requires valid ids', async () => {
      const good = receiveRequest(source, randomUUID());
      for (const bad of [
        { serverId: '../x' },
        { operationId: '..' },
        { operationId: '' },
        { sourceAddress: '' },
        { sourceAddress: 'http://x/y:1' },
      ]) {
        expect(await reasonOfReceiving({ ...good, ...bad })).to.equal('INVALID_FIELDS');
      }
      const { serverId, operationId } = good;
      const { volumes } = target;
      expect(await reasonOf(volumes.discardVolumeTransfer({ serverId: '.', operationId }))).to.equal('INVALID_FIELDS');
      expect(await reasonOf(volumes.discardVolumeTransfer({ serverId, operationId: '/' }))).to.equal('INVALID_FIELDS');
      expect(await reasonOf(volumes.verifyVolume({ serverId: '..' }))).to.equal('INVALID_FIELDS');
      expect(await reasonOf(volumes.verifyVolume({ serverId }))).to.equal('VOLUME_NOT_FOUND');
    });
  });

  it('reports the free space of the node', async () => {
    const { freeBytes, totalBytes } = await target.volumes.getDataRoot({});
    expect(freeBytes).to.be.within(1, totalBytes);
  });

  it('remembers a discarded operation for 7 days', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    const prepare = async (dataRoot: string) => {
      for (const operationId of [old, young]) {
        const at = path.join(dataRoot, 'transfers', operationId);
        await mkdir(path.join(at, 'tree'), { recursive: true });
        await chmod(at, 0o700);
        if (operationId === old) await utimes(at, eightDaysAgo, eightDaysAgo);
      }
    };
    const node = await startTestFiles({ prepare });
    const transfers = path.join(node.dataRoot, 'transfers');
    await waitUntil('the old one to go', async () => !(await readdir(transfers)).includes(old));
    expect(await readdir(transfers)).to.include(young);
    await rm(path.join(transfers, young), { recursive: true });
    await node.stop();
  });
});

async function lastMessage(messages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const message of messages) last = message;
  return last;
}

async function openPaths(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  return Promise.all(names.map(async (name) => readlink(`/proc/self/fd/${name}`).catch(() => 'closed')));
}
