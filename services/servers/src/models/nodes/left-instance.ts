import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';
import { now } from '../expressions.js';

/** Sharding: by the server's id. */
const leftInstanceSchema = documentSchema({ id, nodeId: id, at: date });

/** Instances of servers that were deleted by force, on nodes that did not answer. */
export interface LeftInstanceStore {
  /** Idempotent. */
  add(serverId: string, nodeId: string): Promise<void>;
  /** Of these servers. */
  among(nodeId: string, serverIds: readonly string[]): Promise<string[]>;
  remove(serverId: string): Promise<void>;
}

export function createLeftInstanceStore(connection: MongoConnection): LeftInstanceStore {
  const model = defineModel(connection, 'LeftInstance', leftInstanceSchema, 'left_instances');
  return {
    add: async (serverId, nodeId) => {
      const update = [{ $set: { nodeId, at: now } }];
      await model.updateOne({ _id: serverId }, update, { upsert: true, updatePipeline: true });
    },
    among: async (nodeId, serverIds) => {
      if (serverIds.length === 0) return [];
      const found = await model.find({ _id: { $in: [...serverIds] }, nodeId }, { _id: 1 }).lean();
      return found.map(({ _id }) => _id);
    },
    remove: async (serverId) => void (await model.deleteOne({ _id: serverId })),
  };
}
