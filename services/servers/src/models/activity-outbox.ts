import { defineModel, duplicateIndex, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';
import { maxQueryMs, required, text } from './fields.js';

/** Something that happened, on its way to the activity log. */
export interface ActivityEntry {
  readonly _id: string;
  readonly event: string;
  readonly at: Date;
  /** Empty: the panel itself. */
  readonly actorId: string;
  readonly apiKeyId: string;
  readonly ip: string;
  /** Empty: about no server. */
  readonly serverId: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** What has not arrived by then is not worth its place any more. */
const keepSeconds = 7 * 24 * 60 * 60;

const schema = new Schema<ActivityEntry>(
  {
    _id: { type: String, ...required },
    event: { type: String, ...required },
    at: { type: Date, ...required },
    actorId: text,
    apiKeyId: text,
    ip: text,
    serverId: text,
    properties: { type: Object, default: {} },
  },
  { ...schemaOptions, minimize: false },
);
schema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: keepSeconds });

/** Happenings that the admin service has yet to take. */
export interface ActivityOutbox {
  /** An entry that is there already stays as it is. */
  add(entry: ActivityEntry): Promise<void>;
  /** The oldest ones. */
  pending(limit: number): Promise<ActivityEntry[]>;
  remove(ids: readonly string[]): Promise<void>;
}

export function createActivityOutbox(connection: MongoConnection): ActivityOutbox {
  const model = defineModel(connection, 'ActivityEntry', schema, 'activity_outbox');
  return {
    add: async (entry) => {
      try {
        await model.create(entry);
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
    },
    pending: async (limit) => model.find().sort({ at: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean(),
    remove: async (ids) => void (await model.deleteMany({ _id: { $in: [...ids] } }).maxTimeMS(maxQueryMs)),
  };
}
