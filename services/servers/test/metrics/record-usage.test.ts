import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { UsageSample } from '../../src/domain/usage/usage-hour.js';
import { createUsageStore, type UsageStore } from '../../src/models/usage/usage-hour.js';
import { recordSample } from '../../src/metrics/measure-usage.js';

const start = Date.UTC(2026, 2, 1, 10);
const minute = 60_000;

describe('the recording of usage', () => {
  let mongo: MongoConnection;
  let usage: UsageStore;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('servers'), { appName: 'test' });
    usage = createUsageStore(mongo);
    await createIndexes(mongo);
  });
  after(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });

  const sampleAt = (ms: number): UsageSample => ({
    at: new Date(start + ms),
    isOn: true,
    changedAt: new Date(start),
    generation: 1,
    memoryMb: 1,
    diskMb: 0,
    networkBytes: ms,
  });
  const hoursOf = async (serverId: string) => usage.list(serverId, new Date(start), new Date(start + 1_440 * minute));

  it('counts every minute once, also when many replicas record the same ones', async () => {
    const serverId = randomUUID();
    for (let now = 0; now <= 150; now += 10) {
      await Promise.all(Array.from({ length: 10 }, async () => recordSample(usage, serverId, sampleAt(now * minute))));
    }
    const hours = await hoursOf(serverId);
    expect(hours.map(({ runningMs }) => runningMs / minute)).to.deep.equal([60, 60, 30]);
    expect(hours.reduce((sum, { trafficBytes }) => sum + trafficBytes, 0)).to.equal(150 * minute);
  });

  it('goes on after a replica that died between the hours', async () => {
    const serverId = randomUUID();
    await recordSample(usage, serverId, sampleAt(0));
    await recordSample(usage, serverId, sampleAt(50 * minute));
    const dying: UsageStore = { ...usage, open: async () => Promise.reject(new Error('died')) };
    const recorded = recordSample(dying, serverId, sampleAt(70 * minute)).catch(() => undefined);
    await recorded;
    await recordSample(usage, serverId, sampleAt(75 * minute));
    const hours = await hoursOf(serverId);
    // The first 50 minutes are unknown: too long a gap.
    expect(hours.map(({ runningMs }) => runningMs / minute)).to.deep.equal([10, 15]);
  });
});
