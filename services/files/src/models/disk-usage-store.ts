import {
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
} from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type DiskUsage, diskUsageFields } from '../domain/disk-usage.js';

/** One document per server, one write per measurement. Sharding: by _id. */
const usageSchema = documentSchema({ id, ...diskUsageFields });
type UsageDocument = DocumentOf<typeof usageSchema>;
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
