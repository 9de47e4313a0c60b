import {
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  maxQueryMs,
  type MongoConnection,
} from '@panel/kit/mongo';
import { id } from '@panel/kit/records';
import { type Upload, uploadFields } from '../domain/upload.js';

/** Sharding: by serverId, in all queries but a node's sweep. */
const uploadSchema = documentSchema({
  ...uploadFields,
  /** JSON: client keys are not valid field names. */
  metadata: id,
});
type UploadDocument = DocumentOf<typeof uploadSchema>;
uploadSchema.index({ serverId: 1, createdAt: -1 }, { name: 'upload_server' });
uploadSchema.index({ nodeId: 1, expiresAt: 1 }, { name: 'upload_sweep' });

const maxSwept = 1_000;
const maxListed = 100;

/** The bytes are in their node's data root. */
export interface UploadStore {
  insert(upload: Upload): Promise<void>;
  find(serverId: string, id: string): Promise<Upload | null>;
  /** Unexpired, newest first, at most 100. */
  listUnfinished(serverId: string, now: Date): Promise<Upload[]>;
  countUnfinished(serverId: string, now: Date): Promise<number>;
  /** No effect after completion. */
  recordPiece(id: string, offsetBytes: number, expiresAt: Date): Promise<void>;
  setState(id: string, state: Upload['state']): Promise<void>;
  /** At most 1,000. */
  listExpired(nodeId: string, now: Date): Promise<Upload[]>;
  remove(id: string): Promise<void>;
  deleteServer(serverId: string): Promise<void>;
}

export function createUploadStore(connection: MongoConnection): UploadStore {
  const model = defineModel(connection, 'Upload', uploadSchema, 'uploads');
  const unfinished = (serverId: string, now: Date) => ({
    serverId,
    state: { $ne: 'completed' as const },
    expiresAt: { $gt: now },
  });
  return {
    insert: async ({ id, metadata, ...upload }) => {
      await model.create({ _id: id, metadata: JSON.stringify(metadata), ...upload });
    },
    find: async (serverId, id) => {
      const found = await model.findOne({ _id: id, serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toUpload(found);
    },
    listUnfinished: async (serverId, now) => {
      const query = model.find(unfinished(serverId, now)).sort({ createdAt: -1 }).limit(maxListed);
      return convertEach(await query.maxTimeMS(maxQueryMs).lean(), toUpload);
    },
    countUnfinished: async (serverId, now) => model.countDocuments(unfinished(serverId, now)).maxTimeMS(maxQueryMs),
    recordPiece: async (id, offsetBytes, expiresAt) => {
      await model.updateOne({ _id: id, state: { $ne: 'completed' } }, { $set: { offsetBytes, expiresAt } });
    },
    setState: async (id, state) => {
      await model.updateOne({ _id: id }, { $set: { state } });
    },
    listExpired: async (nodeId, now) => {
      const query = model.find({ nodeId, expiresAt: { $lte: now } }).limit(maxSwept);
      return (await query.maxTimeMS(maxQueryMs).lean()).map(toUpload);
    },
    remove: async (id) => {
      await model.deleteOne({ _id: id });
    },
    deleteServer: async (serverId) => {
      await model.deleteMany({ serverId });
    },
  };
}

function toUpload({ _id, metadata, ...upload }: UploadDocument): Upload {
  return { id: _id, metadata: JSON.parse(metadata) as Upload['metadata'], ...upload };
}
