import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { UsageCounters } from '../../src/domain/metrics/point.js';
import { createMetricsStore, type MetricsStore } from '../../src/models/metrics/metrics.js';
import { MetricsRollUp } from '../../src/metrics/metrics-roll-up.js';
import { MetricsSampler } from '../../src/metrics/metrics-sampler.js';
import { readMetrics } from '../../src/usecases/metrics/get-metrics.js';

const nodeId = randomUUID();
const log = createLogger({ service: 'test', level: 'silent' });

/** Counters grow by one core-second in ten seconds. */
class World {
  nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);
  readonly running = new Set<string>();
  readonly existing = new Set<string>();
  isDatabaseUnavailable = false;
  /** The game with failing reads. */
  broken = '';
  run = 'first';

  constructor(private readonly store: MetricsStore) {}

  add(): string {
    const id = randomUUID();
    this.running.add(id);
    this.existing.add(id);
    return id;
  }

  readonly clock = () => new Date(this.nowMs);
  readonly metrics: MetricsStore = {
    write: async (writes) => {
      if (this.isDatabaseUnavailable) throw new Error('the database is away');
      return this.store.write(writes);
    },
    read: async (...query) => this.store.read(...query),
    delete: async (serverId) => this.store.delete(serverId),
  };

  sampler(): MetricsSampler {
    const sampleUsage = async (serverId: string): Promise<UsageCounters> => {
      if (serverId === this.broken) throw new Error('the engine answers something else');
      return {
        run: this.run,
        cpuMs: this.nowMs / 10,
        memoryBytes: 1_024,
        networkRxBytes: this.nowMs,
        networkTxBytes: 0,
        at: this.clock(),
      };
    };
    const states = async (ids: readonly string[]) => ids.filter((id) => this.existing.has(id)).map((id) => ({ id }));
    return new MetricsSampler({
      clock: this.clock,
      log,
      metrics: this.metrics,
      servers: {
        runningOfNodes: async () => [...this.running].map((id) => ({ id, userId: 'owner', nodeId })),
        states: states as never,
      },
      nodes: { getMany: async () => [{ id: nodeId }] as never },
      runtimes: { of: () => ({ sampleUsage }) as never },
      files: { recentUsage: () => 2_048 },
    });
  }

  rollUp(): MetricsRollUp {
    const { clock, metrics } = this;
    return new MetricsRollUp({ clock, metrics, servers: { idsOfNode: async () => [...this.existing] } });
  }

  async pass(sampler: MetricsSampler, seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 5) {
      await sampler.tick([nodeId]);
      this.nowMs += 5_000;
    }
  }

  async history(serverId: string, stepSeconds: number, minutes: number) {
    const query = { from: new Date(this.nowMs - minutes * 60_000), to: null, stepSeconds };
    return readMetrics({ metrics: this.metrics, clock: this.clock }, serverId, query);
  }
}

const cpuOf = (points: readonly { readonly cpuPercent: number }[]) =>
  points.map(({ cpuPercent }) => (Number.isNaN(cpuPercent) ? null : Math.round(cpuPercent)));

describe('metrics history', function () {
  this.timeout(180_000);
  let mongo: MongoConnection;
  let store: MetricsStore;
  let world: World;

  before(async () => {
    mongo = await connectMongo(testMongoUrl('metrics'), { appName: 'test' });
    store = createMetricsStore(mongo);
  });
  beforeEach(() => {
    world = new World(store);
  });
  after(async () => mongo.close());

  it('holds a point every ten seconds and their means every minute', async () => {
    const id = world.add();
    const sampler = world.sampler();
    await world.pass(sampler, 180);
    await sampler.flush();
    const fine = await world.history(id, 10, 3);
    expect(cpuOf(fine.points)).to.deep.equal([null, ...Array.from({ length: 17 }, () => 10)]);
    expect(fine.points[0]).to.include({ memoryBytes: 1_024, diskBytes: 2_048 });
    expect(fine.points[1]?.networkRxBytesPerSecond).to.equal(1_000);
    // The node's sum equals its only server.
    expect((await world.history(nodeId, 10, 3)).points).to.deep.equal(fine.points);
    const minutes = await world.history(id, 60, 3);
    expect(minutes.stepSeconds).to.equal(60);
    expect(cpuOf(minutes.points)).to.deep.equal([10, 10, 10]);
  });

  it('samples the other games of a node when one cannot be read', async () => {
    const ids = Array.from({ length: 20 }, () => world.add());
    world.broken = ids[0] ?? '';
    const sampler = world.sampler();
    await world.pass(sampler, 60);
    await sampler.flush();
    for (const id of ids.slice(1)) expect((await world.history(id, 10, 1)).points, id).to.have.length(6);
  });

  it('writes everything within a minute without a flush', async () => {
    const ids = Array.from({ length: 30 }, () => world.add());
    const sampler = world.sampler();
    await world.pass(sampler, 130);
    for (const id of ids) {
      const { points } = await world.history(id, 10, 3);
      expect(points.filter(({ memoryBytes }) => memoryBytes === 1_024).length).to.be.at.least(7);
    }
  });

  it('shows a gap where the server did not run or nobody sampled', async () => {
    const id = world.add();
    const first = world.sampler();
    await world.pass(first, 60);
    world.running.delete(id);
    await world.pass(first, 60);
    world.running.add(id);
    await world.pass(first, 60);
    await first.flush();
    // Killed: another process continues after 30 s.
    world.nowMs += 30_000;
    const second = world.sampler();
    await world.pass(second, 30);
    await second.flush();
    const known = (await world.history(id, 10, 4)).points.map(({ memoryBytes }) => (Number.isNaN(memoryBytes) ? 0 : 1));
    expect(known.join('')).to.equal('111111000000111111000111');
    expect(cpuOf((await world.history(id, 60, 4)).points).map((cpu) => cpu !== null)).to.deep.equal([
      true,
      false,
      true,
      true,
    ]);
  });

  it('sums quarters of an hour up once, also by a process that comes later', async () => {
    const id = world.add();
    const sampler = world.sampler();
    await world.pass(sampler, 900);
    await sampler.flush();
    world.nowMs += 120_000;
    for (const rollUp of [world.rollUp(), world.rollUp()]) {
      await rollUp.tick([nodeId]);
      await rollUp.tick([nodeId]);
    }
    const { points, from } = await world.history(id, 900, 20);
    expect(from.getTime() % 900_000).to.equal(0);
    expect(cpuOf(points).filter((cpu) => cpu !== null)).to.deep.equal([10]);
  });

  it('loses nothing while the database is away for five minutes', async () => {
    const id = world.add();
    const sampler = world.sampler();
    await world.pass(sampler, 60);
    world.isDatabaseUnavailable = true;
    for (let tick = 0; tick < 30; tick += 1) {
      await sampler.tick([nodeId]).catch(() => undefined);
      world.nowMs += 10_000;
    }
    world.isDatabaseUnavailable = false;
    await sampler.flush();
    const { points } = await world.history(id, 10, 6);
    expect(points.filter(({ memoryBytes }) => Number.isNaN(memoryBytes))).to.deep.equal([]);
  });

  it('removes the history of a deleted server and does not bring it back', async () => {
    const [id, other] = [world.add(), world.add()];
    const sampler = world.sampler();
    await world.pass(sampler, 60);
    world.running.delete(id);
    world.existing.delete(id);
    await store.delete(id);
    await world.pass(sampler, 120);
    await sampler.flush();
    const bucketsOf = async (serverId: string) =>
      mongo.collection('metrics').countDocuments({ _id: { $regex: `^${serverId}` } as never });
    expect(await bucketsOf(id)).to.equal(0);
    expect(await bucketsOf(other)).to.be.above(0);
  });

  it('lets the database remove each bucket when its retention is over', async () => {
    const id = world.add();
    const sampler = world.sampler();
    await world.pass(sampler, 60);
    await sampler.flush();
    const buckets = await mongo
      .collection('metrics')
      .find({ _id: { $regex: `^${id}` } as never })
      .toArray();
    const retainedHours = Object.fromEntries(
      buckets.map(({ _id, expiresAt }) => [
        String(_id).split('/')[1],
        Math.round(((expiresAt as Date).getTime() - world.nowMs) / 3_600_000),
      ]),
    );
    expect(retainedHours).to.deep.equal({ fine: 1, minute: 25 });
  });

  it('refuses ranges it cannot answer', async () => {
    const ask = async (query: { from?: Date; to?: Date; stepSeconds?: number }) => {
      const { from = null, to = null, stepSeconds = null } = query;
      return readMetrics({ metrics: store, clock: world.clock }, randomUUID(), { from, to, stepSeconds });
    };
    const ago = (hours: number) => new Date(world.nowMs - hours * 3_600_000);
    for (const query of [
      { from: ago(1), to: ago(2) },
      { from: ago(-1) },
      { stepSeconds: 30 },
      { from: ago(48), stepSeconds: 10 },
      { from: ago(24 * 100) },
    ]) {
      const refused = await ask(query).catch((error: { reason?: string }) => error.reason);
      expect(refused, JSON.stringify(query)).to.equal('INVALID_FIELDS');
    }
    expect((await ask({})).points).to.have.length(360);
    expect((await ask({ from: ago(24) })).points).to.have.length(1_440);
    expect((await ask({ from: ago(24 * 89) })).points).to.have.length(8_544);
  });
});
