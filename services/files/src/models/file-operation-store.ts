import {
  createRecordMapper,
  defineModel,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
} from '@panel/kit/mongo';
import { type FileOperation, fileOperationFields } from '../domain/file-operation.js';

const retentionSeconds = 86_400;

/** Sharding: by serverId, in all queries but a node's recovery. */
const operationSchema = documentSchema(fileOperationFields);
operationSchema.index({ serverId: 1, startedAt: -1 }, { name: 'operation_server' });
operationSchema.index({ nodeId: 1, state: 1 }, { name: 'operation_recovery' });
operationSchema.index({ endedAt: 1 }, { name: 'operation_expiry', expireAfterSeconds: retentionSeconds });

export type OperationChange = Partial<Omit<FileOperation, 'id' | 'serverId' | 'nodeId' | 'kind' | 'startedAt'>>;

const { toRecord: toOperation } = createRecordMapper<FileOperation>();

/** Expire a day after their end. */
export interface FileOperationStore {
  /** False when the id exists. */
  insert(operation: FileOperation): Promise<boolean>;
  find(serverId: string, id: string): Promise<FileOperation | null>;
  /** Newest first, at most 50. */
  list(serverId: string): Promise<FileOperation[]>;
  update(id: string, change: OperationChange): Promise<void>;
  /** Fails those an earlier process of this node left running. */
  failInterrupted(nodeId: string, endedAt: Date): Promise<void>;
  deleteServer(serverId: string): Promise<void>;
}

const maxListed = 50;

export function createFileOperationStore(connection: MongoConnection): FileOperationStore {
  const model = defineModel(connection, 'FileOperation', operationSchema, 'file_operations');
  return {
    insert: async ({ id, ...operation }) => {
      try {
        await model.create({ _id: id, ...operation });
        return true;
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
        return false;
      }
    },
    find: async (serverId, id) => {
      const found = await model.findOne({ _id: id, serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toOperation(found);
    },
    list: async (serverId) => {
      const found = await model
        .find({ serverId })
        .sort({ startedAt: -1 })
        .limit(maxListed)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(toOperation);
    },
    update: async (id, change) => {
      await model.updateOne({ _id: id, state: 'running' }, { $set: change });
    },
    failInterrupted: async (nodeId, endedAt) => {
      const errorMessage = 'the files service was restarted';
      const change = { state: 'failed', errorReason: 'OPERATION_INTERRUPTED', errorMessage, endedAt } as const;
      await model.updateMany({ nodeId, state: 'running' }, { $set: change });
    },
    deleteServer: async (serverId) => {
      await model.deleteMany({ serverId });
    },
  };
}
