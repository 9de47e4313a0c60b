import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';

/** JSON text. Shard key: _id, the user's id. */
interface PreferencesDocument {
  readonly _id: string;
  readonly json: string;
  readonly updatedAt: Date;
}

const schema = new Schema<PreferencesDocument>(
  {
    _id: { type: String, required: true },
    json: { type: String, required: true },
    updatedAt: { type: Date, required: true },
  },
  schemaOptions,
);

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
