import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connectMongo } from '@panel/kit/mongo';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { FilesContext } from '../../src/context.js';
import { handleGetVolumeUsage } from '../../src/handlers/volume/get-volume-usage.js';
import { UsageMeter } from '../../src/volumes/usage.js';
import { createDiskUsageStore, type DiskUsageStore } from '../../src/models/disk-usage-store.js';
import { readUsage } from '../../src/usecases/volumes/read-usage.js';
import { newVolume, type RunningFiles, startTestFiles } from '../harness.js';

describe('recorded disk usage', () => {
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

  const ask = async (node: RunningFiles, serverId: string, recorded: boolean) =>
    node.volumes.getVolumeUsage({ serverId, recorded });
  const measured = async () => {
    const { serverId, directory } = await newVolume(a);
    await writeFile(path.join(directory, 'world'), Buffer.alloc(300_000, 1));
    const { usedBytes } = await ask(a, serverId, false);
    await waitUntil('the record', async () => (await reasonOf(ask(b, serverId, true))) === 'none');
    return { serverId, usedBytes };
  };

  it('answers for a volume of another node, and says that it is a record', async () => {
    const { serverId, usedBytes } = await measured();
    expect(usedBytes).to.be.above(300_000);
    expect(await ask(b, serverId, true)).to.deep.equal({ usedBytes, recorded: true });
    expect(await ask(a, serverId, true)).to.deep.equal({ usedBytes, recorded: false });
    expect(await reasonOf(ask(b, serverId, false))).to.equal('VOLUME_NOT_FOUND');
    expect(await reasonOf(ask(b, randomUUID(), true))).to.equal('VOLUME_NOT_FOUND');
  });

  it('stays while the node of the volume is away', async () => {
    const away = await startTestFiles({ mongoUrl: a.mongoUrl });
    const { serverId } = await newVolume(away);
    const { usedBytes } = await ask(away, serverId, false);
    await waitUntil('the record', async () => (await reasonOf(ask(b, serverId, true))) === 'none');
    await away.stop();
    expect(await ask(b, serverId, true)).to.deep.equal({ usedBytes, recorded: true });
  });

  it('goes with its volume, and not with one that its server has left', async () => {
    const { serverId } = await measured();
    await b.volumes.createVolume({ serverId });
    const { usedBytes } = await ask(b, serverId, false);
    await a.volumes.deleteVolume({ serverId });
    await waitUntil('A to answer what B has measured', async () => {
      const known = await ask(a, serverId, true).catch(() => null);
      return known?.recorded === true && known.usedBytes === usedBytes;
    });
    await b.volumes.deleteVolume({ serverId });
    expect(await reasonOf(ask(a, serverId, true))).to.equal('VOLUME_NOT_FOUND');
  });

  it('drops at the next start what was recorded of volumes that are gone', async () => {
    const mongo = await connectMongo(a.mongoUrl, { appName: 'test' });
    const usages = createDiskUsageStore(mongo);
    const { serverId } = await measured();
    const nodeId = (await usages.find(serverId))?.nodeId ?? '';
    const gone = randomUUID();
    await usages.record({ serverId: gone, nodeId, usedBytes: 1, measuredAt: new Date() });
    await a.restart();
    await waitUntil('the sweep', async () => (await usages.find(gone)) === null);
    expect(await usages.find(serverId)).to.include({ serverId });
    await mongo.close();
  });
});

describe('the record of a measurement', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;
  let usages: DiskUsageStore;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('files'), { appName: 'test' });
    usages = createDiskUsageStore(mongo);
  });
  after(async () => mongo?.close());

  it('keeps the latest of 50 measurements, whatever order they come in', async () => {
    const serverId = randomUUID();
    const at = (n: number) => ({ serverId, nodeId: 'n', usedBytes: n, measuredAt: new Date(n) });
    await Promise.all(Array.from({ length: 50 }, async (_, n) => usages.record(at((n * 7) % 50))));
    expect(await usages.find(serverId)).to.deep.equal(at(49));
  });

  it('answers where measuring takes long in a process that knows nothing yet', async () => {
    const serverId = randomUUID();
    await usages.record({ serverId, nodeId: 'here', usedBytes: 5, measuredAt: new Date() });
    const release: (() => void)[] = [];
    const measure = async () => {
      await new Promise<void>((resolve) => release.push(resolve));
      return 7;
    };
    const usage = new UsageMeter({ maxAgeMs: 60_000, patienceMs: 60_000, measure });
    const context = { usage, usages, nodeId: 'here' };
    expect(await readUsage(context, { serverId }, 'recorded')).to.deep.equal({ usedBytes: 5, recorded: true });
    for (const go of release) go();
    await waitUntil('the measurement', () => usage.isKnown(serverId));
    expect(await readUsage(context, { serverId }, 'recorded')).to.deep.equal({ usedBytes: 7, recorded: false });
  });

  it('measures volumes in the turns of the owners that requests name', async () => {
    const begun: string[] = [];
    const release: (() => void)[] = [];
    const measure = async (serverId: string) => {
      begun.push(serverId);
      await new Promise<void>((resolve) => release.push(resolve));
      return 7;
    };
    const usage = new UsageMeter({ maxAgeMs: 60_000, patienceMs: 60_000, measure });
    const handle = handleGetVolumeUsage({ usage, usages, nodeId: 'here' } as unknown as FilesContext);
    const ask = async (ownerId: string, more: { fresh?: boolean; recorded?: boolean }) => {
      const serverId = randomUUID();
      return { serverId, answer: handle({ serverId, ownerId, ...more }, {} as never) };
    };
    const of = [await ask('many', {}), await ask('many', { fresh: true }), await ask('many', { recorded: true })];
    const other = await ask('few', { fresh: true });
    await waitUntil('two measurements', () => begun.length === 2);
    expect(begun).to.deep.equal([of[0]?.serverId, other.serverId]);
    await waitUntil('all measurements', () => {
      for (const go of release.splice(0)) go();
      return begun.length === 4 && release.length === 0;
    });
    await Promise.all([...of, other].map(async ({ answer }) => answer));
  });
});
