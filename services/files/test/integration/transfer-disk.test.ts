import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type FakeSource, file, finish, start, startFakeSource } from '../fake-source.js';
import { reasonOf, type RunningFiles, startTestFiles } from '../harness.js';
import { lastOf, receiveRequest } from '../transfer-trees.js';

const run = promisify(execFile);

/** Requires root on a dedicated machine. */
describe('volume transfer to a small disk', () => {
  let disk = '';
  let target: RunningFiles;
  let source: FakeSource;
  before(async function () {
    disk = await mkdtemp(path.join(tmpdir(), 'panel-disk-'));
    const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).then(
      () => true,
      () => false,
    );
    if (!isMounted) this.skip();
    [target, source] = await Promise.all([startTestFiles({ parent: disk }), startFakeSource()]);
  });
  after(async () => {
    await target?.stop();
    await source?.stop();
    await run('umount', ['-l', disk]).catch(() => undefined);
    await rm(disk, { recursive: true, force: true });
  });

  const fits = [start(1, 5), ...file('small', 'fits.')];
  const tooMuch = [
    start(100, 20_000_000),
    ...Array.from({ length: 100 }, (_, at) => file(`f${String(at).padStart(3, '0')}`, 'x'.repeat(200_000))).flat(),
  ];
  const receive = async (request: ReturnType<typeof receiveRequest>) => lastOf(target.volumes.receiveVolume(request));

  it('reports a full disk and frees the space when it is discarded', async () => {
    const request = receiveRequest(source, randomUUID());
    source.answer([...tooMuch, finish(tooMuch)], [...fits, finish(fits)]);
    expect(await reasonOf(receive(request))).to.equal('DISK_FULL');
    expect(await readdir(path.join(target.dataRoot, 'servers'))).to.deep.equal([]);
    const { serverId, operationId } = request;
    await target.volumes.discardVolumeTransfer({ serverId, operationId });
    expect(await reasonOf(receive(request))).to.equal('TRANSFER_DISCARDED');
    const next = receiveRequest(source, serverId);
    expect(await reasonOf(receive(next))).to.equal('none');
    await target.volumes.deleteVolume({ serverId });
  });

  it('reports the free space and refuses a larger volume before copying', async () => {
    const { freeBytes, totalBytes } = await target.volumes.getDataRoot({});
    expect(totalBytes).to.equal(8 * 1024 * 1024);
    const request = receiveRequest(source, randomUUID());
    source.answer([start(1, 5, freeBytes + 1_000_000), ...file('small', 'fits.')]);
    expect(await reasonOf(receive(request))).to.equal('INSUFFICIENT_DISK');
  });
});
