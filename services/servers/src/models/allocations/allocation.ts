import {
  containsText,
  defineModel,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
  convertEach,
} from '@panel/kit/mongo';
import type { Allocation } from '../../domain/allocations/allocation.js';
import { fail } from '../../reasons.js';
import { createBatch, type NewAllocations, sweepBatch } from './allocation-batch.js';
import { type AllocationDocument, allocationSchema } from './allocation-schema.js';
import { maxQueryMs } from '../fields.js';

export interface AllocationStore {
  /**
   * Atomic; returns existing rows of the same ids. Throws ALLOCATION_EXISTS naming the taken ones,
   * CREATION_IN_PROGRESS.
   */
  createAll(batch: NewAllocations): Promise<Allocation[]>;
  list(nodeId: string, page: PageQuery): Promise<{ allocations: Allocation[]; total: number }>;
  ofServers(serverIds: readonly string[]): Promise<Allocation[]>;
  /** Throws ALLOCATION_NOT_FOUND, ALLOCATION_IN_USE. */
  delete(nodeId: string, allocationId: string): Promise<void>;
  deleteOfNode(nodeId: string): Promise<void>;
  /** False if taken or on another node. Idempotent. */
  take(nodeId: string, allocationId: string, serverId: string, at: Date): Promise<boolean>;
  /** On `ip` if set; retries of a creation get the same. */
  takeAny(nodeId: string, serverId: string, at: Date, ip?: string, creationId?: string): Promise<Allocation | null>;
  takenIn(creationId: string, serverId: string): Promise<Allocation | null>;
  /** Resolves with their number. */
  confirm(serverId: string, allocationIds: readonly string[]): Promise<number>;
  /** The server's own list decides; the sweeper reads it. */
  markUnconfirmed(serverId: string, allocationId: string, at: Date): Promise<void>;
  releaseAll(serverId: string): Promise<void>;
  releaseOn(nodeId: string, serverId: string): Promise<void>;
  releaseUnused(serverId: string, used: readonly string[]): Promise<void>;
  release(serverId: string, allocationId: string): Promise<boolean>;
  exists(nodeId: string, allocationId: string): Promise<boolean>;
  unconfirmed(before: Date): Promise<{ id: string; serverId: string }[]>;
  releaseUnconfirmed(allocationId: string, serverId: string): Promise<void>;
  /** Of dead processes. */
  sweepBatches(before: Date): Promise<void>;
}

const visible = { isVisible: true } as const;

export function createAllocationStore(connection: MongoConnection): AllocationStore {
  const model = defineModel(connection, 'Allocation', allocationSchema, 'allocations');
  const free = { $set: { serverId: null, pendingSince: null, creationId: null } };
  const takenIn = async (creationId: string, serverId: string) => {
    const taken = await model.findOne({ creationId: creationId, serverId }).lean();
    return taken && allocationOf(taken);
  };
  return {
    createAll: async (batch) => (await createBatch(model, batch)).map(allocationOf),
    list: async (nodeId, page) => {
      const filter = { nodeId, ...visible, ...matches(page.search) };
      const [documents, total] = await Promise.all([
        model
          .find(filter, null, { hint: listIndexOf(page) })
          .sort(sortOf(page))
          .skip(page.skip)
          .limit(page.perPage)
          .maxTimeMS(maxQueryMs)
          .lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { allocations: convertEach(documents, allocationOf), total };
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
      const taken = await model.updateOne({ ...filter, serverId: null }, { $set: { serverId, pendingSince: at } });
      return taken.modifiedCount === 1 || (await model.exists({ ...filter, serverId })) !== null;
    },
    takeAny: async (nodeId, serverId, at, ip, creationId) => {
      const filter = { nodeId, serverId: null, ...visible, ...(ip === undefined ? {} : { ip }) };
      const update = { $set: { serverId, pendingSince: at, creationId: creationId ?? null } };
      const options = { sort: { port: 1 }, returnDocument: 'after', hint: 'allocation_node_server' } as const;
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
      return (await model.updateMany(filter, { $set: { pendingSince: null } })).matchedCount;
    },
    markUnconfirmed: async (serverId, allocationId, at) =>
      void (await model.updateOne({ _id: allocationId, serverId }, { $set: { pendingSince: at } })),
    releaseAll: async (serverId) => void (await model.updateMany({ serverId }, free)),
    releaseUnused: async (serverId, used) =>
      void (await model.updateMany({ serverId, pendingSince: { $ne: null }, _id: { $nin: [...used] } }, free)),
    releaseOn: async (nodeId, serverId) => void (await model.updateMany({ nodeId, serverId }, free)),
    release: async (serverId, allocationId) =>
      (await model.updateOne({ _id: allocationId, serverId }, free)).matchedCount === 1,
    exists: async (nodeId, allocationId) => (await model.exists({ _id: allocationId, nodeId, ...visible })) !== null,
    unconfirmed: async (before) => {
      const found = await model
        .find({ pendingSince: { $lt: before, $type: 'date' } }, { serverId: 1 })
        .limit(1000)
        .lean();
      return found.flatMap(({ _id, serverId }) => (serverId === null ? [] : [{ id: _id, serverId }]));
    },
    releaseUnconfirmed: async (allocationId, serverId) =>
      void (await model.updateOne({ _id: allocationId, serverId, pendingSince: { $ne: null } }, free)),
    sweepBatches: async (before) => {
      const batches: string[] = await model.distinct('batchId', { isVisible: false, createdAt: { $lt: before } });
      for (const batchId of batches) await sweepBatch(model, batchId);
    },
  };
}

/** Matches address, alias or exact port. */
function matches(search: string) {
  if (search === '') return {};
  const port = /^\d{1,5}$/.test(search) ? [{ port: Number(search) }] : [];
  return { $or: [{ ip: containsText(search) }, { alias: containsText(search) }, ...port] };
}

/** Address and port are unique: the index alone orders. */
function sortOf({ sort }: PageQuery): PageQuery['sort'] {
  const { ip, port } = sort;
  const isByAddress = Object.keys(sort).join() === 'ip,port,_id';
  return isByAddress && ip !== undefined && port !== undefined ? { ip, port } : sort;
}

/** A hint: the embedded engine fails to compare plans that all sort in memory. */
function listIndexOf({ sort }: PageQuery): string {
  const [first] = Object.keys(sort);
  if (first === 'ip') return 'allocation_node_ip_port';
  return first === 'port' ? 'allocation_node_port' : 'allocation_node_created';
}

function allocationOf(document: AllocationDocument): Allocation {
  const { _id, nodeId, ip, alias, port, serverId, createdAt } = document;
  return { id: _id, nodeId, ip, alias, port, serverId, createdAt };
}
