import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { storedMethodFields, type StoredMethodRecord } from '../domain/payment.js';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by userId (hashed). */
const methodSchema = documentSchema(storedMethodFields);
methodSchema.index({ userId: 1, createdAt: -1 }, { name: 'stored_method_user' });

export interface StoredMethodStore {
  insertIfAbsent(method: StoredMethodRecord): Promise<boolean>;
  /** Newest first. */
  ofUser(userId: string): Promise<StoredMethodRecord[]>;
  owners(userIds: readonly string[]): Promise<Set<string>>;
  delete(id: string, userId: string): Promise<boolean>;
}

export function createStoredMethodStore(connection: MongoConnection): StoredMethodStore {
  const model = defineModel(connection, 'StoredMethod', methodSchema, 'stored_methods');
  return {
    insertIfAbsent: async ({ id: methodId, ...fields }) =>
      ignoreDuplicate(model.create([{ ...fields, _id: methodId }])),
    ofUser: async (userId) => {
      const found = await model.find({ userId }).sort({ createdAt: -1 }).limit(20).maxTimeMS(maxQueryMs).lean();
      return found.map(({ _id, ...fields }) => ({ ...fields, id: _id }));
    },
    owners: async (userIds) =>
      new Set(await model.distinct('userId', { userId: { $in: [...userIds] } }).maxTimeMS(maxQueryMs)),
    delete: async (methodId, userId) =>
      (await model.deleteOne({ _id: methodId, userId }).maxTimeMS(maxQueryMs)).deletedCount === 1,
  };
}
