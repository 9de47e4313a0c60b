import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';

/** JSON text. Shard key: _id, the user's id. */
const schema = documentSchema({ id, json: id, updatedAt: date });

export function createPreferencesStore(connection: MongoConnection) {
  const preferences = defineModel(connection, 'Preferences', schema, 'preferences');
  return {
    read: async (userId: string): Promise<string | null> =>
      (await preferences.findById(userId, { json: 1 }).lean<{ json: string }>())?.json ?? null,
    write: async (userId: string, json: string, now: Date): Promise<void> => {
      await preferences.updateOne({ _id: userId }, { $set: { json, updatedAt: now } }, { upsert: true });
    },
    removeOfUser: async (userId: string): Promise<void> => {
      await preferences.deleteOne({ _id: userId });
    },
  };
}
