import { createRecordMapper, defineModel, documentSchema, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { type TrashEntry, trashFields } from '../domain/trash-entry.js';

/** Sharding: by serverId, in all queries but a node's sweep. */
const trashSchema = documentSchema(trashFields);
trashSchema.index({ serverId: 1, deletedAt: -1 }, { name: 'trash_server' });
trashSchema.index({ nodeId: 1, deletedAt: 1 }, { name: 'trash_sweep' });

const maxListed = 1_000;
const maxSwept = 1_000;

const { toRecord: toEntry } = createRecordMapper<TrashEntry>();

/** The bytes are in their node's data root. */
export interface TrashStore {
  insert(entry: TrashEntry): Promise<void>;
  setSize(id: string, sizeBytes: number): Promise<void>;
  find(serverId: string, id: string): Promise<TrashEntry | null>;
  /** Of all nodes, newest first, at most 1,000. */
  list(serverId: string): Promise<TrashEntry[]>;
  /** Newest first, at most 1,000. */
  listOn(nodeId: string, serverId: string): Promise<TrashEntry[]>;
  /** Deleted before a time, oldest first, at most 1,000. */
  listExpired(nodeId: string, before: Date): Promise<TrashEntry[]>;
  /** One caller wins. */
  remove(id: string): Promise<boolean>;
  serverIds(nodeId: string): Promise<string[]>;
}

export function createTrashStore(connection: MongoConnection): TrashStore {
  const model = defineModel(connection, 'TrashEntry', trashSchema, 'trash_entries');
  return {
    insert: async ({ id, ...entry }) => {
      await model.create({ _id: id, ...entry });
    },
    setSize: async (id, sizeBytes) => {
      await model.updateOne({ _id: id }, { $set: { sizeBytes } });
    },
    find: async (serverId, id) => {
      const found = await model.findOne({ _id: id, serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toEntry(found);
    },
    list: async (serverId) => {
      const query = model.find({ serverId }).sort({ deletedAt: -1 }).limit(maxListed).maxTimeMS(maxQueryMs);
      return (await query.lean()).map(toEntry);
    },
    listOn: async (nodeId, serverId) => {
      const query = model.find({ serverId, nodeId }).sort({ deletedAt: -1 }).limit(maxListed).maxTimeMS(maxQueryMs);
      return (await query.lean()).map(toEntry);
    },
    listExpired: async (nodeId, before) => {
      const expired = { nodeId, deletedAt: { $lt: before } };
      const query = model.find(expired).sort({ deletedAt: 1 }).limit(maxSwept).maxTimeMS(maxQueryMs);
      return (await query.lean()).map(toEntry);
    },
    remove: async (id) => (await model.deleteOne({ _id: id })).deletedCount === 1,
    serverIds: async (nodeId) => model.distinct('serverId', { nodeId }),
  };
}
