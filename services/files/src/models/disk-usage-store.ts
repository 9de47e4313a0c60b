import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { DiskUsage } from '../domain/disk-usage.js';

type UsageDocument = Omit<DiskUsage, 'serverId'> & { _id: string };

const required = { required: true } as const;

/** One document per server, one write per measurement. Sharding: by _id. */
const usageSchema = new Schema<UsageDocument>(
  {
    _id: { type: String, ...required },
    nodeId: { type: String, ...required },
    usedBytes: { type: Number, ...required },
    measuredAt: { type: Date, ...required },
  },
  schemaOptions,
);
usageSchema.index({ nodeId: 1 }, { name: 'disk_usage_node' });

/** Last ones, from any node. */
export interface DiskUsageStore {
  /** Keeps a later measurement. */
  record(usage: DiskUsage): Promise<void>;
  find(serverId: string): Promise<DiskUsage | null>;
  /** With their last measurement on the node. */
  serverIds(nodeId: string): Promise<string[]>;
  /** Keeps a measurement of another node. */
  remove(nodeId: string, serverId: string): Promise<void>;
}

export function createDiskUsageStore(connection: MongoConnection): DiskUsageStore {
  const model = defineModel(connection, 'DiskUsage', usageSchema, 'disk_usages');
  return {
    record: async ({ serverId, ...usage }) => {
      const isOlder = { _id: serverId, measuredAt: { $lt: usage.measuredAt } };
      try {
        await model.updateOne(isOlder, { $set: usage }, { upsert: true });
      } catch (error) {
        // newer, or just inserted by another process
        if (duplicateIndex(error) === null) throw error;
        await model.updateOne(isOlder, { $set: usage });
      }
    },
    find: async (serverId) => {
      const found = await model.findOne({ _id: serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toUsage(found);
    },
    serverIds: async (nodeId) =>
      (await model.find({ nodeId }, { _id: 1 }).maxTimeMS(maxQueryMs).lean()).map(({ _id }) => _id),
    remove: async (nodeId, serverId) => {
      await model.deleteOne({ _id: serverId, nodeId });
    },
  };
}

function toUsage({ _id, nodeId, usedBytes, measuredAt }: UsageDocument): DiskUsage {
  return { serverId: _id, nodeId, usedBytes, measuredAt };
}
