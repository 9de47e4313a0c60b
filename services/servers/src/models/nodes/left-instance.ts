import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';
import { now } from '../expressions.js';

/** Shard key: nodeId. */
const leftInstanceSchema = documentSchema({ _id: id, nodeId: id, serverId: id, at: date });
leftInstanceSchema.index({ nodeId: 1, serverId: 1 }, { name: 'left_instance_node_server' });

/** Instances of servers that were deleted by force, on nodes that did not answer. One server can leave several. */
export interface LeftInstanceStore {
  /** Idempotent. */
  add(serverId: string, nodeId: string): Promise<void>;
  /** Of these servers. */
  among(nodeId: string, serverIds: readonly string[]): Promise<string[]>;
  remove(serverId: string, nodeId: string): Promise<void>;
  removeOfNode(nodeId: string): Promise<void>;
}

export function createLeftInstanceStore(connection: MongoConnection): LeftInstanceStore {
  const model = defineModel(connection, 'LeftInstance', leftInstanceSchema, 'left_instances');
  return {
    add: async (serverId, nodeId) => {
      const update = [{ $set: { nodeId, serverId, at: now } }];
      await model.updateOne({ _id: idOf(serverId, nodeId) }, update, { upsert: true, updatePipeline: true });
    },
    among: async (nodeId, serverIds) => {
      if (serverIds.length === 0) return [];
      const found = await model.find({ nodeId, serverId: { $in: [...serverIds] } }, { serverId: 1 }).lean();
      return found.map(({ serverId }) => serverId);
    },
    remove: async (serverId, nodeId) => void (await model.deleteOne({ _id: idOf(serverId, nodeId) })),
    removeOfNode: async (nodeId) => void (await model.deleteMany({ nodeId })),
  };
}

function idOf(serverId: string, nodeId: string): string {
  return `${nodeId}:${serverId}`;
}
