import {
  BatchedReads,
  containsText,
  createRecordMapper,
  defineModel,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
  type PageQuery,
  type Stored,
} from '@panel/kit/mongo';
import { apiKeyFields, type ApiKeyRecord } from '../domain/api-key.js';
import { findPage, type Page } from './find-page.js';

/** Shard key: hash, the lookup of every request. */
const schema = documentSchema(apiKeyFields);
schema.index({ hash: 1 }, { name: 'api_keys_hash', unique: true });
schema.index({ userId: 1, slot: 1 }, { name: 'api_keys_slot', unique: true });

const records = createRecordMapper<ApiKeyRecord>();

export function createApiKeyStore(connection: MongoConnection) {
  const apiKeys = defineModel(connection, 'ApiKey', schema, 'api_keys');
  const readsByHash = new BatchedReads(async (hashes) => {
    const found = await records.many(
      apiKeys
        .find({ hash: { $in: [...hashes] } })
        .maxTimeMS(maxQueryMs)
        .lean<Stored<ApiKeyRecord>[]>(),
    );
    return new Map(found.map((apiKey) => [apiKey.hash, apiKey]));
  });
  return {
    findById: async (id: string): Promise<ApiKeyRecord | null> =>
      records.one(apiKeys.findById(id).lean<Stored<ApiKeyRecord>>()),
    /** See BatchedReads. */
    findByHash: async (hash: string): Promise<ApiKeyRecord | null> => readsByHash.read(hash),
    takenSlots: async (userId: string): Promise<Set<number>> => {
      const taken = await apiKeys.find({ userId }, { slot: 1, _id: 0 }).lean<{ slot: number }[]>();
      return new Set(taken.map(({ slot }) => slot));
    },
    /** False: the slot is taken. */
    insert: async (apiKey: ApiKeyRecord): Promise<boolean> => {
      try {
        await apiKeys.create(records.toDocument(apiKey));
        return true;
      } catch (error) {
        if (duplicateIndex(error) === 'api_keys_slot') return false;
        throw error;
      }
    },
    list: async (userId: string, page: PageQuery): Promise<Page<ApiKeyRecord>> => {
      const { search } = page;
      const searched =
        search === '' ? {} : { $or: [{ description: containsText(search) }, { identifier: containsText(search) }] };
      const filter = { userId, ...searched };
      return findPage(apiKeys, records, filter, page);
    },
    /** One write per interval. */
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
    /** False: not found. */
    remove: async (id: string, userId: string): Promise<boolean> => {
      const { deletedCount } = await apiKeys.deleteOne({ _id: id, userId });
      return deletedCount === 1;
    },
  };
}
