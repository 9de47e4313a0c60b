import {
  containsText,
  createRecordMapper,
  defineModel,
  documentSchema,
  duplicateIndex,
  type MongoConnection,
  type PageQuery,
  type Stored,
} from '@panel/kit/mongo';
import { sshKeyFields, type SshKeyRecord } from '../domain/ssh-key.js';
import { fail } from '../reasons.js';
import { findPage, type Page } from './find-page.js';

/** Shard key: userId, in every query. */
const schema = documentSchema(sshKeyFields);
schema.index({ userId: 1, fingerprint: 1 }, { name: 'ssh_keys_fingerprint', unique: true });
schema.index({ userId: 1, slot: 1 }, { name: 'ssh_keys_slot', unique: true });

const records = createRecordMapper<SshKeyRecord>();

export function createSshKeyStore(connection: MongoConnection) {
  const keys = defineModel(connection, 'SshKey', schema, 'ssh_keys');
  return {
    findById: async (id: string): Promise<SshKeyRecord | null> =>
      records.one(keys.findById(id).lean<Stored<SshKeyRecord>>()),
    findByFingerprint: async (userId: string, fingerprint: string): Promise<SshKeyRecord | null> =>
      records.one(keys.findOne({ userId, fingerprint: { $eq: fingerprint } }).lean<Stored<SshKeyRecord>>()),
    takenSlots: async (userId: string): Promise<Set<number>> => {
      const taken = await keys.find({ userId }, { slot: 1, _id: 0 }).lean<{ slot: number }[]>();
      return new Set(taken.map(({ slot }) => slot));
    },
    /** False: the slot is taken. Throws SSH_KEY_EXISTS. */
    insert: async (key: SshKeyRecord): Promise<boolean> => {
      try {
        await keys.create(records.toDocument(key));
        return true;
      } catch (error) {
        const index = duplicateIndex(error);
        if (index === 'ssh_keys_slot') return false;
        if (index === 'ssh_keys_fingerprint') throw fail('SSH_KEY_EXISTS', 'this key is registered already');
        throw error;
      }
    },
    list: async (userId: string, page: PageQuery): Promise<Page<SshKeyRecord>> => {
      const filter = { userId, ...(page.search === '' ? {} : { name: containsText(page.search) }) };
      return findPage(keys, records, filter, page);
    },
    /** One write per interval. */
    touch: async (id: string, now: Date, intervalMs: number): Promise<void> => {
      const before = new Date(now.getTime() - intervalMs);
      await keys.updateOne(
        { _id: id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: before } }] },
        { $set: { lastUsedAt: now } },
      );
    },
    /** False: not found. */
    remove: async (id: string, userId: string): Promise<boolean> => {
      const { deletedCount } = await keys.deleteOne({ _id: id, userId });
      return deletedCount === 1;
    },
    removeOfUser: async (userId: string): Promise<void> => {
      await keys.deleteMany({ userId });
    },
  };
}
