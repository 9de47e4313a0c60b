import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id, mixed } from '@panel/kit/records';
import { decodePoint, encodePoint, type MetricsPoint } from '../../domain/metrics/point.js';
import { placeOf, type Tier } from '../../domain/metrics/tiers.js';
import { maxQueryMs } from '../fields.js';

/** By step number. */
export interface MetricsWrite {
  readonly serverId: string;
  readonly tier: Tier;
  readonly points: ReadonlyMap<number, MetricsPoint>;
}

type Bytes = Uint8Array | { readonly buffer: Uint8Array };

/** Shard key: _id, hashed. */
const schema = documentSchema({
  /** Server, tier and bucket number. */
  id,
  /** By place in the bucket; absent ones are gaps. */
  p: mixed<Readonly<Record<string, Bytes>>>(),
  expiresAt: date,
});
type BucketDocument = DocumentOf<typeof schema>;
schema.index({ expiresAt: 1 }, { name: 'metrics_expiry', expireAfterSeconds: 0 });

const writesAtOnce = 1_000;

export interface MetricsStore {
  /** Idempotent. */
  write(writes: readonly MetricsWrite[]): Promise<void>;
  /** By server id and step, both inclusive. */
  read(
    serverIds: readonly string[],
    tier: Tier,
    range: { readonly firstStep: number; readonly lastStep: number },
  ): Promise<Map<string, Map<number, MetricsPoint>>>;
  delete(serverId: string): Promise<void>;
}

export function createMetricsStore(connection: MongoConnection): MetricsStore {
  const buckets = defineModel(connection, 'MetricsBucket', schema, 'metrics');
  return {
    write: async (writes) => {
      const updates = writes.flatMap(updatesOf);
      for (let from = 0; from < updates.length; from += writesAtOnce) {
        await buckets.collection.bulkWrite(updates.slice(from, from + writesAtOnce) as never, { ordered: false });
      }
    },
    read: async (serverIds, tier, { firstStep, lastStep }) => {
      const [first, last] = [placeOf(tier, firstStep).bucket, placeOf(tier, lastStep).bucket];
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const ids = serverIds.flatMap((serverId) => numbers.map((bucket) => bucketId(serverId, tier, bucket)));
      const found = await buckets
        .find({ _id: { $in: ids } }, { p: 1 })
        .maxTimeMS(maxQueryMs)
        .lean<Pick<BucketDocument, '_id' | 'p'>[]>();
      const byServer = new Map<string, Map<number, MetricsPoint>>();
      for (const { _id, p } of found) {
        const [serverId = '', , bucket] = _id.split('/');
        const points = byServer.get(serverId) ?? new Map<number, MetricsPoint>();
        byServer.set(serverId, points);
        const start = (Number(bucket) * tier.bucketMs) / tier.stepMs;
        for (const [index, bytes] of Object.entries(p)) {
          const step = start + Number(index);
          if (step >= firstStep && step <= lastStep) points.set(step, decodePoint(plainBytes(bytes)));
        }
      }
      return byServer;
    },
    delete: async (serverId) => {
      // "0" follows "/": the end of the server's id range.
      await buckets.deleteMany({ _id: { $gte: `${serverId}/`, $lt: `${serverId}0` } });
    },
  };
}

function bucketId(serverId: string, { name }: Tier, bucket: number): string {
  return `${serverId}/${name}/${bucket}`;
}

function updatesOf({ serverId, tier, points }: MetricsWrite) {
  const changes = new Map<number, Record<string, Buffer>>();
  for (const [step, point] of points) {
    const { bucket, index } = placeOf(tier, step);
    const change = changes.get(bucket) ?? {};
    change[`p.${index}`] = encodePoint(point);
    changes.set(bucket, change);
  }
  return [...changes].map(([bucket, change]) => {
    const expiresAt = new Date((bucket + 1) * tier.bucketMs + tier.retentionMs);
    return {
      updateOne: {
        filter: { _id: bucketId(serverId, tier, bucket) },
        update: { $set: change, $setOnInsert: { expiresAt } },
        upsert: true,
      },
    };
  });
}

function plainBytes(bytes: Bytes): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : bytes.buffer;
}
