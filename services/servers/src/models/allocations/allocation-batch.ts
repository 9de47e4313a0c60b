import { setTimeout as wait } from 'node:timers/promises';
import { duplicateIndex } from '@panel/kit/mongo';
import { hostPort } from '@panel/kit/net';
import type { Model } from 'mongoose';
import { anyAddresses, isAnyAddress } from '../../domain/allocations/allocation.js';
import { fail } from '../../reasons.js';
import type { AllocationDocument } from './allocation-schema.js';

/*
 * Atomic inserts without a transaction. An attempt is a batch; its first row (lowest port) is the commit record:
 * inserted first, made visible by one write after all others. That write commits; the next reader shows rows that are
 * still hidden. Before it any process may roll back, removing the commit record first: the maker cannot commit then,
 * removes its rows and starts again. A false guess of its death costs only another attempt.
 */
type Batches = Model<AllocationDocument>;

export interface NewAllocations {
  readonly nodeId: string;
  readonly ip: string;
  readonly alias: string;
  /** Ascending: overlapping batches collide at their first common port. */
  readonly ports: readonly number[];
  readonly batchId: string;
  readonly at: Date;
  readonly idOf: (port: number) => string;
}

/** Without growth the maker counts as dead. */
const stalledMs = 1_000;
/** Polls back off. */
const patienceMs = 5_000;
const firstPollMs = 25;
const maxPollMs = 250;
/** In an error. */
const maxNamed = 50;

const portIndex = 'allocation_node_ip_port';
const acrossIndex = 'allocation_node_port';

const visible = { isVisible: true } as const;
const hidden = { isVisible: false } as const;

/** See AllocationStore.createAll. */
export async function createBatch(model: Batches, batch: NewAllocations): Promise<AllocationDocument[]> {
  const documents = batch.ports.map((port) => documentOf(batch, port));
  const watch = new StallDetector(model);
  const end = performance.now() + patienceMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    let isOverlapped = await isAcross(model, batch);
    const clash = isOverlapped ? null : await insert(model, documents);
    if (clash === null && !isOverlapped) {
      isOverlapped = await isAcross(model, batch);
      if (!isOverlapped && (await commit(model, documents))) return documents;
      await model.deleteMany({ batchId: batch.batchId, ...hidden });
    }
    const earlier = await earlierBatch(model, documents);
    if (earlier) return earlier;
    await throwIfTaken(model, batch, documents, clash);
    if (performance.now() > end) throw fail('CREATION_IN_PROGRESS', 'these allocations are being created');
    // Of two that overlap, one is first to try again.
    await wait(isOverlapped && !isAnyAddress(batch.ip) ? 0 : pollMs * (0.5 + Math.random()));
    for (const batchId of await inTheWay(model, batch)) await watch.inspect(batchId);
  }
}

export async function sweepBatch(model: Batches, batchId: string): Promise<void> {
  if (await model.exists({ batchId, ...visible })) {
    await model.updateMany({ batchId }, { $set: visible });
    return;
  }
  const first = await model.findOne({ batchId }, { _id: 1 }).sort({ port: 1 }).lean();
  if (!first) return;
  const { deletedCount } = await model.deleteOne({ _id: first._id, batchId, ...hidden });
  // Else a concurrent commit or rollback won.
  if (deletedCount === 1) await model.deleteMany({ batchId, ...hidden });
}

/** Rolls back batches that block a request. */
class StallDetector {
  readonly #seen = new Map<string, { readonly rows: number; readonly since: number }>();
  #patienceMs = stalledMs;

  constructor(private readonly model: Batches) {}

  async inspect(batchId: string): Promise<void> {
    const rows = await this.model.countDocuments({ batchId });
    const seen = this.#seen.get(batchId);
    if (seen?.rows !== rows) this.#seen.set(batchId, { rows, since: performance.now() });
    else if (performance.now() - seen.since > this.#patienceMs) {
      await sweepBatch(this.model, batchId);
      // Two slow processes must not alternate rollbacks.
      this.#patienceMs *= 2;
    }
  }
}

/** Null: all are in; a duplicate key: none is. After another error a retry or the sweeper handles the rows. */
async function insert(model: Batches, [first, ...others]: readonly AllocationDocument[]): Promise<unknown> {
  if (!first) throw new TypeError('a batch without rows');
  // Losers find out before the bulk insert.
  const clash = await clashOf(model.insertMany([first], { lean: true }));
  if (clash !== null || others.length === 0) return clash;
  const late = await clashOf(model.insertMany(others, { ordered: true, lean: true }));
  if (late !== null) await model.deleteMany({ batchId: first.batchId, ...hidden });
  return late;
}

async function clashOf(write: Promise<unknown>): Promise<unknown> {
  try {
    await write;
    return null;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
    return error;
  }
}

async function commit(model: Batches, [first]: readonly AllocationDocument[]): Promise<boolean> {
  if (!first) return false;
  const { batchId } = first;
  const { matchedCount } = await model.updateOne({ _id: first._id, batchId }, { $set: visible });
  if (matchedCount === 1) await model.updateMany({ batchId }, { $set: visible });
  return matchedCount === 1;
}

/**
 * Of an earlier or parallel attempt of the same creation; null: none. Ports ascend: the first and last row imply all;
 * then this call commits for a dead maker.
 */
async function earlierBatch(
  model: Batches,
  documents: readonly AllocationDocument[],
): Promise<AllocationDocument[] | null> {
  const ids = documents.map(({ _id }) => _id);
  const rows = await model
    .find({ _id: { $in: ids } })
    .sort({ port: 1 })
    .lean();
  const [first, last] = [rows[0], rows.at(-1)];
  const isWhole = first?._id === ids[0] && last?._id === ids.at(-1) && first?.batchId === last?.batchId;
  const made = rows.find(({ isVisible }) => isVisible) ?? (isWhole ? first : undefined);
  if (!made) return null;
  const own = rows.filter(({ batchId }) => batchId === made.batchId);
  if (!made.isVisible) return (await commit(model, own)) ? own : null;
  await model.updateMany({ batchId: made.batchId }, { $set: visible });
  return own;
}

async function inTheWay(model: Batches, batch: NewAllocations): Promise<string[]> {
  const { nodeId, ip, ports } = batch;
  const same = model.distinct('batchId', { nodeId, ip, port: { $in: [...ports] }, ...hidden }, { hint: portIndex });
  return [...(await same), ...(await model.distinct('batchId', { ...across(batch), ...hidden }))];
}

/**
 * Rows of other addresses on the same ports, where one of the two is all addresses. No unique index excludes them: both
 * sides look after their inserts, so that one at least sees the other and withdraws.
 */
function across({ nodeId, ip, ports }: NewAllocations) {
  const others = isAnyAddress(ip) ? { $ne: ip } : { $in: [...anyAddresses] };
  return { nodeId, port: { $in: [...ports] }, ip: others };
}

async function isAcross(model: Batches, batch: NewAllocations): Promise<boolean> {
  return (await model.exists(across(batch)).hint(acrossIndex)) !== null;
}

/** Hidden rows will be committed or removed. */
async function throwIfTaken(
  model: Batches,
  batch: NewAllocations,
  documents: readonly AllocationDocument[],
  cause: unknown,
): Promise<void> {
  const { nodeId, ip, ports } = batch;
  const others = { $nin: documents.map(({ _id }) => _id) };
  const named = async (filter: object, hint: string) =>
    model
      .find({ ...filter, _id: others, ...visible }, { ip: 1, port: 1 }, { hint })
      .sort({ port: 1 })
      .limit(maxNamed)
      .lean();
  const same = await named({ nodeId, ip, port: { $in: [...ports] } }, portIndex);
  const taken = same.length > 0 ? same : await named(across(batch), acrossIndex);
  if (taken.length === 0) return;
  const metadata = { ip, taken: taken.map((row) => hostPort(row.ip, row.port)) };
  const message =
    same.length > 0
      ? 'some of these allocations exist'
      : 'some of these ports are allocated on another address, and all addresses include it';
  throw fail('ALLOCATION_EXISTS', message, metadata, { cause });
}

function documentOf(batch: NewAllocations, port: number): AllocationDocument {
  const { nodeId, ip, alias, batchId, at, idOf } = batch;
  return {
    _id: idOf(port),
    nodeId,
    ip,
    alias,
    port,
    serverId: null,
    batchId,
    isVisible: false,
    pendingSince: null,
    creationId: null,
    createdAt: at,
  };
}
