import {
  containsText,
  convertEach,
  defineModel,
  type DocumentOf,
  documentSchema,
  maxQueryMs,
  type MongoConnection,
  type PageQuery,
} from '@panel/kit/mongo';
import { listOf, text } from '@panel/kit/records';
import { mongo } from 'mongoose';
import { type ActivityEvent, activityFields, type ActivityFilter } from '../domain/activity.js';

const retentionSeconds = 90 * 86_400;
const duplicateKey = 11_000;

/** Append-only. Sharding: by _id (hashed); a user's list is short. */
const activitySchema = documentSchema({
  ...activityFields,
  /** Users whose list shows it, for one index. */
  readers: listOf(text),
});
type ActivityDocument = DocumentOf<typeof activitySchema>;
activitySchema.index({ time: 1 }, { name: 'activity_expiry', expireAfterSeconds: retentionSeconds });
activitySchema.index({ time: -1, _id: 1 }, { name: 'activity_time' });
activitySchema.index({ readers: 1, time: -1, _id: 1 }, { name: 'activity_readers' });
activitySchema.index({ serverId: 1, time: -1, _id: 1 }, { name: 'activity_server' });

export interface ActivityStore {
  /** Idempotent by event id. */
  add(events: readonly ActivityEvent[]): Promise<void>;
  list(filter: ActivityFilter, page: PageQuery): Promise<{ events: ActivityEvent[]; total: number }>;
}

export function createActivityStore(connection: MongoConnection): ActivityStore {
  const model = defineModel(connection, 'Activity', activitySchema, 'activity');
  return {
    add: async (events) => {
      try {
        await model.insertMany(events.map(documentOf), { ordered: false, throwOnValidationError: true });
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw error;
      }
    },
    list: async ({ userId, serverId }, page) => {
      const filter = {
        ...(userId === null ? {} : { readers: userId }),
        ...(serverId === null ? {} : { serverId }),
        ...(page.search === '' ? {} : { event: containsText(page.search) }),
      };
      const [documents, total] = await Promise.all([
        model.find(filter).sort(page.sort).skip(page.skip).limit(page.perPage).maxTimeMS(maxQueryMs).lean(),
        model.countDocuments(filter).maxTimeMS(maxQueryMs),
      ]);
      return { events: convertEach(documents, eventOf), total };
    },
  };
}

function documentOf({ id, ...event }: ActivityEvent): ActivityDocument {
  const readers = new Set([event.actorId, event.userId].filter((id) => id !== null));
  return { _id: id, ...event, readers: [...readers] };
}

function eventOf(document: ActivityDocument): ActivityEvent {
  const { _id, readers: _readers, ...event } = document;
  return { id: _id, ...event };
}

/** True: every failed write is a duplicate. */
function isOnlyDuplicates(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false;
  const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  return failures.length > 0 && failures.every(({ code }) => code === duplicateKey);
}
