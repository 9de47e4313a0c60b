import { defineModel, duplicateIndex, type MongoConnection, type PageQuery, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';

/** A key for programs. Shard key: hash, by which every request looks it up. */
export interface ApiKeyDocument {
  readonly _id: string;
  readonly userId: string;
  /** 1 to the limit; with the user unique, so that no race makes one key too many and no crash loses a place. */
  readonly slot: number;
  /** SHA-256 of the whole key, hexadecimal. */
  readonly hash: string;
  readonly identifier: string;
  readonly description: string;
  readonly allowedIps: string[];
  /** Subset of what the owner may do; null for all of it. */
  readonly permissions: string[] | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

const schema = new Schema<ApiKeyDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    slot: { type: Number, required: true },
    hash: { type: String, required: true },
    identifier: { type: String, required: true },
    description: { type: String, required: true },
    allowedIps: { type: [String], required: true },
    permissions: { type: [String], default: null },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    expiresAt: { type: Date, default: null },
  },
  schemaOptions,
);
schema.index({ hash: 1 }, { name: 'api_keys_hash', unique: true });
schema.index({ userId: 1, slot: 1 }, { name: 'api_keys_slot', unique: true });

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

export function createApiKeyStore(connection: MongoConnection) {
  const apiKeys = defineModel(connection, 'ApiKey', schema, 'api_keys');
  return {
    findById: async (id: string): Promise<ApiKeyDocument | null> => apiKeys.findById(id).lean<ApiKeyDocument>(),
    findByHash: async (hash: string): Promise<ApiKeyDocument | null> =>
      apiKeys.findOne({ hash }).lean<ApiKeyDocument>(),
    takenSlots: async (userId: string): Promise<Set<number>> => {
      const taken = await apiKeys.find({ userId }, { slot: 1, _id: 0 }).lean<{ slot: number }[]>();
      return new Set(taken.map(({ slot }) => slot));
    },
    /** Whether the slot was free. */
    insert: async (apiKey: ApiKeyDocument): Promise<boolean> => {
      try {
        await apiKeys.create(apiKey);
        return true;
      } catch (error) {
        if (duplicateIndex(error) === 'api_keys_slot') return false;
        throw error;
      }
    },
    list: async (userId: string, page: PageQuery): Promise<{ items: ApiKeyDocument[]; total: number }> => {
      const [items, total] = await Promise.all([
        apiKeys.find({ userId }).sort(page.sort).skip(page.skip).limit(page.perPage).lean<ApiKeyDocument[]>(),
        apiKeys.countDocuments({ userId }),
      ]);
      return { items, total };
    },
    /** Note that a key is in use; at most one write for all who try within the interval. */
    touch: async (id: string, now: Date, intervalMs: number): Promise<void> => {
      const before = new Date(now.getTime() - intervalMs);
      await apiKeys.updateOne(
        { _id: id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: before } }] },
        { $set: { lastUsedAt: now } },
      );
    },
    removeOfUser: async (userId: string): Promise<void> => {
      await apiKeys.deleteMany({ userId });
    },
    /** Whether it was there. */
    remove: async (id: string, userId: string): Promise<boolean> => {
      const { deletedCount } = await apiKeys.deleteOne({ _id: id, userId });
      return deletedCount === 1;
    },
  };
}
