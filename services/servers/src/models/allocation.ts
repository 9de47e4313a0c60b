import { setTimeout as wait } from 'node:timers/promises';
import { defineModel, duplicateIndex, type MongoConnection, type PageQuery, schemaOptions } from '@panel/kit';
import { type Model, Schema } from 'mongoose';
import type { Allocation } from '../domain/allocation.js';
import { fail } from '../reasons.js';
import { count, maxQueryMs, required, text } from './fields.js';
import { watchWrites, type WriteObserver } from './watch-writes.js';

/**
 * `batch` is set until all of the rows that were asked for together are there; until then none of them can be seen.
 * `reservedAt` is set from the moment a server takes the row until the server's document exists.
 * Ids of the rows of one creation follow from its id, so that its repetition meets them.
 */
type AllocationDocument = Omit<Allocation, 'id'> & {
  _id: string;
  batchId: string;
  isVisible: boolean;
  reservedAt: Date | null;
  /** The creation (see CallContext) by which a server took it; absent on rows from before there was such a thing. */
  takenBy?: string | null;
};

/** Shard key: nodeId (every query but those by server names it). */
const allocationSchema = new Schema<AllocationDocument>(
  {
    _id: { type: String, ...required },
    nodeId: { type: String, ...required },
    ip: { type: String, ...required },
    alias: text,
    port: count,
    serverId: { type: String, default: null },
    notes: text,
    batchId: { type: String, ...required },
    isVisible: { type: Boolean, ...required },
    reservedAt: { type: Date, default: null },
    takenBy: { type: String, default: null },
    createdAt: { type: Date, ...required },
  },
  schemaOptions,
);
allocationSchema.index({ nodeId: 1, ip: 1, port: 1 }, { name: 'allocation_node_ip_port', unique: true });
allocationSchema.index({ nodeId: 1, port: 1, _id: 1 }, { name: 'allocation_node_port' });
allocationSchema.index({ nodeId: 1, createdAt: 1, _id: 1 }, { name: 'allocation_node_created' });
allocationSchema.index({ nodeId: 1, serverId: 1 }, { name: 'allocation_node_server' });
allocationSchema.index(
  { serverId: 1 },
  { name: 'allocation_server', partialFilterExpression: { serverId: { $type: 'string' } } },
);
allocationSchema.index({ batchId: 1 }, { name: 'allocation_batch' });
allocationSchema.index({ createdAt: 1 }, { name: 'allocation_hidden', partialFilterExpression: { isVisible: false } });
allocationSchema.index(
  { reservedAt: 1 },
  { name: 'allocation_reserved', partialFilterExpression: { reservedAt: { $type: 'date' } } },
);

allocationSchema.index(
  { takenBy: 1 },
  { name: 'allocation_taken_by', unique: true, partialFilterExpression: { takenBy: { $type: 'string' } } },
);

/** Taken ports to name in an answer. */
const maxNamed = 50;

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

export interface AllocationStore {
  /**
   * All of them or none; those that are there when the same ids have been created before. Throws ALLOCATION_EXISTS naming
   * the taken ones, CREATION_UNDER_WAY while a repetition of the same creation is not done.
   */
  createAll(batch: NewAllocations): Promise<Allocation[]>;
  list(nodeId: string, page: PageQuery): Promise<{ allocations: Allocation[]; total: number }>;
  /** The allocations of some servers. */
  ofServers(serverIds: readonly string[]): Promise<Allocation[]>;
  /** Throws ALLOCATION_NOT_FOUND, ALLOCATION_IN_USE. */
  delete(nodeId: string, allocationId: string): Promise<void>;
  deleteOfNode(nodeId: string): Promise<void>;
  /** Give a free allocation to a server; false when it is not free or not of this node. Idempotent. */
  take(nodeId: string, allocationId: string, serverId: string, at: Date): Promise<boolean>;
  /** Give any free allocation of a node to a server; on `ip` when named; a creation gets one and the same. */
  takeAny(nodeId: string, serverId: string, at: Date, ip?: string, creationId?: string): Promise<Allocation | null>;
  /** What a server took in a creation. */
  takenIn(creationId: string, serverId: string): Promise<Allocation | null>;
  /** Keep some allocations of a server for good; how many of them it had. */
  confirm(serverId: string, allocationIds: readonly string[]): Promise<number>;
  /** Leave it to the server's own list whether it keeps an allocation: the sweeper looks there. */
  unsettle(serverId: string, allocationId: string, at: Date): Promise<void>;
  releaseAll(serverId: string): Promise<void>;
  /** Free all a server has on one node. */
  releaseOn(nodeId: string, serverId: string): Promise<void>;
  /** Free what is reserved for a server, not confirmed, and not among `used`. */
  releaseUnused(serverId: string, used: readonly string[]): Promise<void>;
  /** Free one allocation of a server; false when the server has no such one. */
  release(serverId: string, allocationId: string): Promise<boolean>;
  exists(nodeId: string, allocationId: string): Promise<boolean>;
  setNotes(serverId: string, allocationId: string, notes: string): Promise<boolean>;
  /** Reservations made before `before` whose server never came to be confirmed. */
  unconfirmed(before: Date): Promise<{ id: string; serverId: string }[]>;
  releaseUnconfirmed(allocationId: string, serverId: string): Promise<void>;
  /** Finish or undo batches left behind by a dead process. */
  sweepBatches(before: Date): Promise<void>;
}

const visible = { isVisible: true } as const;

export function createAllocationStore(connection: MongoConnection, onWrite: WriteObserver): AllocationStore {
  const model = defineModel(connection, 'Allocation', watchWrites(allocationSchema, onWrite), 'allocations');
  const free = { $set: { serverId: null, reservedAt: null, takenBy: null, notes: '' } };
  const takenIn = async (creationId: string, serverId: string) => {
    const taken = await model.findOne({ takenBy: creationId, serverId }).lean();
    return taken && allocationOf(taken);
  };
  return {
    createAll: async (batch) => createBatch(model, batch),
    list: async (nodeId, page) => {
      const filter = { nodeId, ...visible };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { allocations: documents.map(allocationOf), total };
    },
    ofServers: async (serverIds) => {
      const filter = { serverId: { $in: [...serverIds] } };
      return (await model.find(filter).sort({ createdAt: 1, port: 1 }).maxTimeMS(maxQueryMs).lean()).map(allocationOf);
    },
    delete: async (nodeId, allocationId) => {
      const { deletedCount } = await model.deleteOne({ _id: allocationId, nodeId, serverId: null, ...visible });
      if (deletedCount === 1) return;
      const found = await model.exists({ _id: allocationId, nodeId, ...visible });
      if (!found) throw fail('ALLOCATION_NOT_FOUND', 'no such allocation', { allocation_id: allocationId });
      throw fail('ALLOCATION_IN_USE', 'a server has this allocation', { allocation_id: allocationId });
    },
    deleteOfNode: async (nodeId) => void (await model.deleteMany({ nodeId })),
    take: async (nodeId, allocationId, serverId, at) => {
      const filter = { _id: allocationId, nodeId, ...visible };
      const taken = await model.updateOne({ ...filter, serverId: null }, { $set: { serverId, reservedAt: at } });
      return taken.modifiedCount === 1 || (await model.exists({ ...filter, serverId })) !== null;
    },
    takeAny: async (nodeId, serverId, at, ip, creationId) => {
      const filter = { nodeId, serverId: null, ...visible, ...(ip === undefined ? {} : { ip }) };
      const update = { $set: { serverId, reservedAt: at, takenBy: creationId ?? null } };
      const options = { sort: { port: 1 }, returnDocument: 'after' } as const;
      try {
        const taken = await model.findOneAndUpdate(filter, update, options).lean();
        return taken && allocationOf(taken);
      } catch (error) {
        if (creationId === undefined || duplicateIndex(error) !== 'allocation_taken_by') throw error;
        return takenIn(creationId, serverId);
      }
    },
    takenIn,
    confirm: async (serverId, allocationIds) => {
      const filter = { _id: { $in: [...allocationIds] }, serverId };
      return (await model.updateMany(filter, { $set: { reservedAt: null } })).matchedCount;
    },
    unsettle: async (serverId, allocationId, at) =>
      void (await model.updateOne({ _id: allocationId, serverId }, { $set: { reservedAt: at } })),
    releaseAll: async (serverId) => void (await model.updateMany({ serverId }, free)),
    releaseUnused: async (serverId, used) =>
      void (await model.updateMany({ serverId, reservedAt: { $ne: null }, _id: { $nin: [...used] } }, free)),
    releaseOn: async (nodeId, serverId) => void (await model.updateMany({ nodeId, serverId }, free)),
    release: async (serverId, allocationId) =>
      (await model.updateOne({ _id: allocationId, serverId }, free)).matchedCount === 1,
    exists: async (nodeId, allocationId) => (await model.exists({ _id: allocationId, nodeId, ...visible })) !== null,
    setNotes: async (serverId, allocationId, notes) =>
      (await model.updateOne({ _id: allocationId, serverId }, { $set: { notes } })).matchedCount === 1,
    unconfirmed: async (before) => {
      const found = await model
        .find({ reservedAt: { $lt: before } }, { serverId: 1 })
        .limit(1000)
        .lean();
      return found.flatMap(({ _id, serverId }) => (serverId === null ? [] : [{ id: _id, serverId }]));
    },
    releaseUnconfirmed: async (allocationId, serverId) =>
      void (await model.updateOne({ _id: allocationId, serverId, reservedAt: { $ne: null } }, free)),
    sweepBatches: async (before) => {
      const batches: string[] = await model.distinct('batchId', { isVisible: false, createdAt: { $lt: before } });
      for (const batchId of batches) {
        // The first visible row means that all of them had been inserted.
        const isComplete = (await model.exists({ batchId, ...visible })) !== null;
        if (isComplete) await model.updateMany({ batchId }, { $set: visible });
        else await model.deleteMany({ batchId, isVisible: false });
      }
    },
  };
}

type AllocationModel = Model<AllocationDocument>;

/** How long to wait for a repetition that is in the middle of the same batch, and how often to look. */
const twinWaitMs = 3_000;
const twinPollMs = 25;

async function createBatch(model: AllocationModel, batch: NewAllocations): Promise<Allocation[]> {
  const documents = batch.ports.map((port) => documentOf(batch, port));
  const end = performance.now() + twinWaitMs;
  for (;;) {
    const clash = await insertBatch(model, documents);
    if (clash === null) {
      await model.updateMany({ batchId: batch.batchId }, { $set: visible });
      return documents.map(allocationOf);
    }
    await model.deleteMany({ batchId: batch.batchId, isVisible: false });
    const earlier = await earlierBatch(model, documents);
    if (Array.isArray(earlier)) return earlier;
    if (earlier === 'none') await throwIfTaken(model, batch, documents, clash);
    if (performance.now() > end) throw fail('CREATION_UNDER_WAY', 'these allocations are being created');
    await wait(twinPollMs);
  }
}

/**
 * The duplicate key that the rows ran into; null when all of them are in. After any other failure nobody knows which are,
 * and a repetition or the sweeper sees to them.
 */
async function insertBatch(model: AllocationModel, documents: AllocationDocument[]): Promise<unknown> {
  try {
    await model.insertMany(documents, { ordered: true });
    return null;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
    return error;
  }
}

/**
 * What an earlier or parallel try of the same creation has made. Every try inserts in the order of the ports, so the last
 * row, or a visible one, means that all of them were in: then the end of that try can be brought about for it, should it
 * have died. Otherwise it is `unfinished`, and is taken back by itself or by the sweeper.
 */
async function earlierBatch(
  model: AllocationModel,
  documents: readonly AllocationDocument[],
): Promise<Allocation[] | 'none' | 'unfinished'> {
  const ids = documents.map(({ _id }) => _id);
  const rows = await model
    .find({ _id: { $in: ids } })
    .sort({ port: 1 })
    .lean();
  const done = rows.find(({ _id, isVisible }) => isVisible || _id === ids.at(-1));
  if (!done) return rows.length === 0 ? 'none' : 'unfinished';
  await model.updateMany({ batchId: done.batchId }, { $set: visible });
  return rows.filter(({ batchId }) => batchId === done.batchId).map(allocationOf);
}

/** The clash may have been with a repetition that has given up since: then there is nothing in the way any more. */
async function throwIfTaken(
  model: AllocationModel,
  { nodeId, ip, ports }: NewAllocations,
  documents: readonly AllocationDocument[],
  cause: unknown,
): Promise<void> {
  const others = { $nin: documents.map(({ _id }) => _id) };
  const taken = await model
    .find({ nodeId, ip, port: { $in: [...ports] }, _id: others }, { port: 1 })
    .limit(maxNamed)
    .lean();
  if (taken.length === 0) return;
  const metadata = { ip, taken: taken.map(({ port }) => `${ip}:${port}`) };
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
    notes: '',
    batchId,
    isVisible: false,
    reservedAt: null,
    takenBy: null,
    createdAt: at,
  };
}

function allocationOf(document: AllocationDocument): Allocation {
  const { _id, nodeId, ip, alias, port, serverId, notes, createdAt } = document;
  return { id: _id, nodeId, ip, alias, port, serverId, notes, createdAt };
}
