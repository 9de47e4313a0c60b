import { deserialize } from 'bson';
import { pause } from '@panel/kit/async';
import type { DiskGuard } from './disk-guard.js';
import type { Engine } from './engine.js';
import { encodeCommand } from './wire.js';

/*
 * The engine never enforces TTL indexes (waited 70 s). The sidecar deletes expired documents as mongod's TTL monitor
 * does (a date in the indexed field older than `expireAfterSeconds`; a partial index only for its filter).
 */
interface Reply {
  readonly ok: number;
  readonly errmsg?: string;
  readonly databases?: readonly { readonly name: string }[];
  readonly cursor?: { readonly firstBatch: readonly IndexOrCollection[] };
}

interface IndexOrCollection {
  readonly name: string;
  readonly key?: Record<string, unknown>;
  readonly expireAfterSeconds?: number;
  readonly partialFilterExpression?: Record<string, unknown>;
}

/** Resolves after the sweep in progress, never rejects. */
export async function sweepExpired(
  engine: Engine,
  intervalMs: number,
  signal: AbortSignal,
  disk: Pick<DiskGuard, 'isFull'>,
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    if (disk.isFull()) continue;
    try {
      await sweepOnce(engine, signal);
    } catch (error) {
      process.stderr.write(`TTL sweep: ${String(error)}\n`);
    }
  }
}

async function sweepOnce(engine: Engine, signal: AbortSignal): Promise<void> {
  const { databases = [] } = await run(engine, 'admin', { listDatabases: 1, nameOnly: true });
  for (const { name: database } of databases) {
    const list = { listCollections: 1, nameOnly: true, filter: { type: 'collection' }, cursor: { batchSize: 10_000 } };
    for (const { name: collection } of (await run(engine, database, list)).cursor?.firstBatch ?? []) {
      if (signal.aborted) return;
      await sweepCollection(engine, database, collection);
    }
  }
}

async function sweepCollection(engine: Engine, database: string, collection: string): Promise<void> {
  const indexes = await run(engine, database, { listIndexes: collection, cursor: { batchSize: 1_000 } });
  for (const { name, key = {}, expireAfterSeconds, partialFilterExpression } of indexes.cursor?.firstBatch ?? []) {
    const [field] = Object.keys(key);
    if (expireAfterSeconds === undefined || field === undefined) continue;
    // `$lt` with a date matches dates only, as the TTL monitor does.
    const expired = { [field]: { $lt: new Date(Date.now() - expireAfterSeconds * 1_000) } };
    const q = partialFilterExpression ? { $and: [expired, partialFilterExpression] } : expired;
    const hint = partialFilterExpression ? {} : { hint: name };
    await run(engine, database, { delete: collection, deletes: [{ q, limit: 0, ...hint }] });
  }
}

async function run(engine: Engine, database: string, command: Record<string, unknown>): Promise<Reply> {
  const { response } = await engine.roundTrip(encodeCommand(database, command));
  const reply = deserialize(response) as Reply;
  // Ignore a collection dropped meanwhile.
  if (reply.ok !== 1 && !/ns does not exist|not found|dropped/i.test(reply.errmsg ?? '')) throw new Error(reply.errmsg);
  return reply;
}
