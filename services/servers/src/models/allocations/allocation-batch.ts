import { setTimeout as wait } from 'node:timers/promises';
import { duplicateIndex } from '@panel/kit/mongo';
import type { Model } from 'mongoose';
import { fail } from '../../reasons.js';
import type { AllocationDocument } from './allocation-schema.js';

/*
 * Many rows at once, all of them or none, without a transaction. The rows of one try are its batch, and its first row
 * (the lowest port) is its commit record: inserted before all others, made visible only once all others are in, by one
 * write. From that write on the batch is made, and what is still hidden of it is shown by the next process that reads
 * it. Before, any process may take the batch back, by removing the commit record first: a process still at work on it
 * then cannot commit it any more, removes what it has put in, and starts again. So a wrong guess that its maker died
 * costs a second try, and nothing else.
 */
type Batches = Model<AllocationDocument>;

export interface NewAllocations {
  readonly nodeId: string;
  readonly ip: string;
  readonly alias: string;
  /** Ascending: of two overlapping batches one meets the other at its first common port and gives way. */
  readonly ports: readonly number[];
  readonly batchId: string;
  readonly at: Date;
  /** The id of the row of a port. */
  readonly idOf: (port: number) => string;
}

/** A batch that has not grown for this long has lost its maker. */
const stalledMs = 1_000;
/** How long to continue while others are at the same ports, and how often to poll: less and less often. */
const patienceMs = 5_000;
const firstPollMs = 25;
const maxPollMs = 250;
/** Taken ports to name in an answer. */
const maxNamed = 50;

const portIndex = 'allocation_node_ip_port';

const visible = { isVisible: true } as const;
const hidden = { isVisible: false } as const;

/** See AllocationStore.createAll. */
export async function createBatch(model: Batches, batch: NewAllocations): Promise<AllocationDocument[]> {
  const documents = batch.ports.map((port) => documentOf(batch, port));
  const watch = new StallDetector(model);
  const end = performance.now() + patienceMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    const clash = await insert(model, documents);
    if (clash === null) {
      if (await commit(model, documents)) return documents;
      await model.deleteMany({ batchId: batch.batchId, ...hidden });
    }
    const earlier = await earlierBatch(model, documents);
    if (earlier) return earlier;
    await throwIfTaken(model, batch, documents, clash);
    if (performance.now() > end) throw fail('CREATION_IN_PROGRESS', 'these allocations are being created');
    await wait(pollMs);
    for (const batchId of await inTheWay(model, batch)) await watch.inspect(batchId);
  }
}

/** Finish a batch that was made, take back one that was not. */
export async function sweepBatch(model: Batches, batchId: string): Promise<void> {
  if (await model.exists({ batchId, ...visible })) {
    await model.updateMany({ batchId }, { $set: visible });
    return;
  }
  const first = await model.findOne({ batchId }, { _id: 1 }).sort({ port: 1 }).lean();
  if (!first) return;
  const { deletedCount } = await model.deleteOne({ _id: first._id, batchId, ...hidden });
  // Otherwise it was committed, or taken back by another process, at this moment.
  if (deletedCount === 1) await model.deleteMany({ batchId, ...hidden });
}

/** Takes batches back that do not grow any more while a request waits for them. */
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
      // Two who are slow should not take turns in stopping each other.
      this.#patienceMs *= 2;
    }
  }
}

/**
 * The duplicate key that the rows ran into, and then none of them is in; null when all of them are. After any other
 * failure it is unknown which are, and a repetition or the sweeper handles them.
 */
async function insert(model: Batches, [first, ...others]: readonly AllocationDocument[]): Promise<unknown> {
  if (!first) throw new TypeError('a batch without rows');
  // By itself, so that the many who come too late find out before they send everything.
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

/** Whether the batch of which all rows are in is made now. */
async function commit(model: Batches, [first]: readonly AllocationDocument[]): Promise<boolean> {
  if (!first) return false;
  const { batchId } = first;
  const { matchedCount } = await model.updateOne({ _id: first._id, batchId }, { $set: visible });
  if (matchedCount === 1) await model.updateMany({ batchId }, { $set: visible });
  return matchedCount === 1;
}

/**
 * What an earlier or parallel try of the same creation has made, as much of it as is left; null when there is no such one.
 * Every try inserts in the order of the ports, so a first and a last row of one try mean that all of them are in: then its
 * end is brought about for it, should it have died.
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

/** Batches that are not made, or not to be seen yet, and have some of the ports. */
async function inTheWay(model: Batches, { nodeId, ip, ports }: NewAllocations): Promise<string[]> {
  return model.distinct('batchId', { nodeId, ip, port: { $in: [...ports] }, ...hidden }, { hint: portIndex });
}

/** Only those that can be seen are taken: others are made in a moment, or gone. */
async function throwIfTaken(
  model: Batches,
  { nodeId, ip, ports }: NewAllocations,
  documents: readonly AllocationDocument[],
  cause: unknown,
): Promise<void> {
  const others = { $nin: documents.map(({ _id }) => _id) };
  const taken = await model
    .find({ nodeId, ip, port: { $in: [...ports] }, _id: others, ...visible }, { port: 1 }, { hint: portIndex })
    .sort({ port: 1 })
    .limit(maxNamed)
    .lean();
  if (taken.length === 0) return;
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const metadata = { ip, taken: taken.map(({ port }) => `${host}:${port}`) };
  throw fail('ALLOCATION_EXISTS', 'some of these allocations exist', metadata, { cause });
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
