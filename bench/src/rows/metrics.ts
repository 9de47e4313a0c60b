import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { databaseUrl, type RunningMongo, startMongo } from '@panel/programs';
import type { MetricsPoint, UsageCounters } from '../../../services/servers/dist/src/domain/metrics/point.js';
import { stepOf, type Tier, tiers } from '../../../services/servers/dist/src/domain/metrics/tiers.js';
import { createMetricsStore, type MetricsStore } from '../../../services/servers/dist/src/models/metrics/metrics.js';
import {
  MetricsSampler,
  type MetricsSamplerOptions,
} from '../../../services/servers/dist/src/metrics/metrics-sampler.js';
import { readMetrics } from '../../../services/servers/dist/src/usecases/metrics/get-metrics.js';
import { cpuMs, median } from '../measure/process.js';
import { type Line, ms, percent, type Row } from './row.js';

const serverCount = 10_000;
const serversPerNode = 100;
/** Each server is written once a minute, one of these writes starts a bucket of ten minutes. */
const warmUpMs = 70_000;
const measuredMs = 120_000;
const tickMs = 1_000;
/** Servers with a full history, read at random. */
const historyCount = 200;
const reads = 200;
const cores = 2;

/** Sampling, writing and reading with random counters, without the engines' own cost. */
export const metrics: Row = {
  name: 'metrics',
  about: `usage of ${serverCount.toLocaleString('en')} running servers sampled and stored every 10 s; bytes and reads of a whole history`,
  run: async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'panel-bench-'));
    const options = { dataDir, searchPath: process.env.PATH ?? '', log: () => undefined };
    const mongo = await startMongo({ ...options, url: process.env.MONGO_URL });
    const connection = await connectMongo(databaseUrl(mongo.url, `bench${randomUUID().slice(0, 8)}`), {
      appName: 'bench',
    });
    try {
      const store = createMetricsStore(connection);
      return [await sampled(mongo, store), ...(await stored(connection, store))];
    } finally {
      await connection.dropDatabase();
      await connection.close();
      await mongo.stop(10_000);
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

async function sampled(mongo: RunningMongo, store: MetricsStore): Promise<Line> {
  const running = Array.from({ length: serverCount }, (_, index) => ({
    id: randomUUID(),
    nodeId: `node-${Math.floor(index / serversPerNode)}`,
  }));
  const nodeIds = [...new Set(running.map(({ nodeId }) => nodeId))];
  const sampler = new MetricsSampler({
    clock: () => new Date(),
    log: createLogger({ service: 'bench', level: 'warn' }),
    metrics: store,
    servers: { runningOfNodes: async () => running, states: async () => [] },
    nodes: { getMany: async (ids: readonly string[]) => ids.map((id) => ({ id })) },
    runtimes: { of: () => ({ sampleUsage: async () => drawnCounters() }) },
    files: { recentUsage: () => Math.random() * 2 ** 36 },
  } as unknown as MetricsSamplerOptions);
  const tickUntil = async (endMs: number): Promise<void> => {
    while (performance.now() < endMs) {
      const begin = performance.now();
      await sampler.tick(nodeIds);
      await wait(Math.max(0, tickMs - (performance.now() - begin)));
    }
  };
  await tickUntil(performance.now() + warmUpMs);
  const pid = mongo.process?.pid();
  const databaseCpuMs = () => (pid === undefined ? 0 : cpuMs(pid));
  const [begin, own, database] = [performance.now(), process.cpuUsage(), databaseCpuMs()];
  await tickUntil(begin + measuredMs);
  const elapsedMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(own);
  const ownMs = (user + system) / 1_000;
  const databaseMs = databaseCpuMs() - database;
  const share = (ownMs + databaseMs) / elapsedMs / cores;
  return {
    name: `${serverCount.toLocaleString('en')} servers sampled and stored`,
    value: `${percent(share)} of ${cores} cores`,
    details: `servers ${percent(ownMs / elapsedMs)}, mongo ${percent(databaseMs / elapsedMs)} of a core`,
    target: '<= 20 % (50)',
    holds: share <= 0.5,
  };
}

function drawnCounters(): UsageCounters {
  return {
    run: 'one',
    cpuMs: Date.now() * Math.random(),
    memoryBytes: Math.random() * 2 ** 33,
    networkRxBytes: Date.now() * Math.random(),
    networkTxBytes: Date.now() * Math.random(),
    at: new Date(),
  };
}

/** Disk size and read time of one server's history with all tiers full. */
async function stored(connection: MongoConnection, store: MetricsStore): Promise<Line[]> {
  const collection = connection.collection('metrics');
  await collection.deleteMany({});
  const ids = Array.from({ length: historyCount }, () => randomUUID());
  const now = new Date();
  for (const serverId of ids) {
    await store.write(tiers.map((tier) => ({ serverId, tier, points: wholeTier(tier, now) })));
  }
  const [size] = await collection
    .aggregate([{ $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } }])
    .toArray();
  const bytes = Number(size?.bytes ?? 0) / historyCount;
  const lines: Line[] = [
    {
      name: 'whole history of one server',
      value: `${(bytes / 1_000).toFixed(0)} kB`,
      details: `of BSON, before the storage engine compresses it: ${((bytes * serverCount) / 1e9).toFixed(1)} GB for ${serverCount.toLocaleString('en')}`,
      target: '<= 400 kB',
      holds: bytes <= 400_000,
    },
  ];
  for (const tier of tiers) lines.push(await readLine(store, ids, tier, now));
  return lines;
}

function wholeTier(tier: Tier, now: Date): Map<number, MetricsPoint> {
  const last = stepOf(tier, now.getTime());
  const count = tier.retentionMs / tier.stepMs;
  return new Map(Array.from({ length: count }, (_, index) => [last - index, drawnPoint()]));
}

function drawnPoint(): MetricsPoint {
  return {
    cpuPercent: Math.random() * 400,
    memoryBytes: Math.random() * 2 ** 33,
    diskBytes: Math.random() * 2 ** 36,
    networkRxBytesPerSecond: Math.random() * 1e6,
    networkTxBytesPerSecond: Math.random() * 1e6,
  };
}

async function readLine(store: MetricsStore, ids: readonly string[], tier: Tier, now: Date): Promise<Line> {
  const query = {
    from: new Date(now.getTime() - tier.retentionMs + tier.stepMs),
    to: now,
    stepSeconds: tier.stepMs / 1_000,
  };
  const times: number[] = [];
  let points = 0;
  for (let read = 0; read < reads; read++) {
    const begin = performance.now();
    const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
    const range = await readMetrics({ metrics: store, clock: () => now }, id, query);
    times.push(performance.now() - begin);
    points = range.points.filter(({ memoryBytes }) => !Number.isNaN(memoryBytes)).length;
  }
  return {
    name: `read all ${tier.name} points of any of ${historyCount} servers`,
    value: ms(median(times)),
    details: `${points} points, median of ${reads}`,
    target: '',
    holds: null,
  };
}
