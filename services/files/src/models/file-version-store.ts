import { createRecordMapper, defineModel, documentSchema, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { type FileVersion, fileVersionFields } from '../domain/file-version.js';

/** Sharding: by serverId, in all queries but a node's sweep. */
const versionSchema = documentSchema(fileVersionFields);
versionSchema.index({ serverId: 1, path: 1, savedAt: -1 }, { name: 'version_file' });
versionSchema.index({ nodeId: 1, savedAt: 1 }, { name: 'version_sweep' });

const maxListed = 100;
const maxSwept = 1_000;

const { toRecord: toVersion } = createRecordMapper<FileVersion>();

/** The bytes are in their node's data root. */
export interface FileVersionStore {
  insert(version: FileVersion): Promise<void>;
  find(serverId: string, id: string): Promise<FileVersion | null>;
  /** Newest first, at most 100. */
  list(serverId: string, path: string): Promise<FileVersion[]>;
  /** Saved before a time, at most 1,000. */
  listExpired(nodeId: string, before: Date): Promise<FileVersion[]>;
  remove(id: string): Promise<void>;
  deleteServer(serverId: string, nodeId: string): Promise<void>;
}

export function createFileVersionStore(connection: MongoConnection): FileVersionStore {
  const model = defineModel(connection, 'FileVersion', versionSchema, 'file_versions');
  return {
    insert: async ({ id, ...version }) => {
      await model.create({ _id: id, ...version });
    },
    find: async (serverId, id) => {
      const found = await model.findOne({ _id: id, serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toVersion(found);
    },
    list: async (serverId, path) => {
      const query = model.find({ serverId, path }).sort({ savedAt: -1 }).limit(maxListed).maxTimeMS(maxQueryMs);
      return (await query.lean()).map(toVersion);
    },
    listExpired: async (nodeId, before) => {
      const expired = { nodeId, savedAt: { $lt: before } };
      return (await model.find(expired).limit(maxSwept).maxTimeMS(maxQueryMs).lean()).map(toVersion);
    },
    remove: async (id) => {
      await model.deleteOne({ _id: id });
    },
    deleteServer: async (serverId, nodeId) => {
      await model.deleteMany({ serverId, nodeId });
    },
  };
}
