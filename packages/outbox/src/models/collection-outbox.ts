import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { OutboxEntry } from '../entry.js';
import type { OutboxStore, PendingDocument } from '../store.js';

interface EntryDocument {
  readonly _id: string;
  readonly at: Date;
  readonly payload: unknown;
  readonly attempts: number;
  readonly retryAt: Date | null;
  readonly parkedAt: Date | null;
  readonly error: string;
}

/** Outside the producer's documents. Delivered individually. */
export interface CollectionOutbox<P> {
  readonly store: OutboxStore<P>;
  /** Keeps an existing entry of the id. Throws when full. */
  add(entry: OutboxEntry<P>): Promise<void>;
  /** In place of a pending entry with its id. A delivered one is delivered again. Throws when full. */
  replace(entry: OutboxEntry<P>, dueAt: Date): Promise<void>;
}

interface CollectionOutboxOptions {
  /** Default 30. */
  readonly retentionDays?: number;
  /** Undelivered entries, as the worker counted them last. Default 100,000. */
  readonly capacity?: number;
}

const secondsPerDay = 86_400;

/**
 * Entries expire after `retentionDays`, parked ones too; none is added beyond `capacity`: anonymous callers cause some. Indexes: `<collection>_pending`, `<collection>_parked`,
 * `<collection>_expiry`.
 */
export function createCollectionOutbox<P>(
  connection: MongoConnection,
  collectionName: string,
  { retentionDays = 30, capacity = 100_000 }: CollectionOutboxOptions = {},
): CollectionOutbox<P> {
  const model = defineModel(
    connection,
    `Outbox.${collectionName}`,
    entrySchema(collectionName, retentionDays),
    collectionName,
  );
  const isPending = { parkedAt: { $eq: null } };
  const initial = { attempts: 0, parkedAt: null, error: '' };
  let pendingDocuments = 0;
  const requireRoom = () => {
    if (pendingDocuments >= capacity) throw new Error(`${collectionName} is full`);
  };
  return {
    add: async ({ id, at, payload }) => {
      requireRoom();
      try {
        await model.create({ _id: id, at, payload, ...initial, retryAt: null });
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
    },
    replace: async ({ id, at, payload }, dueAt) => {
      requireRoom();
      const update = { $set: { at, payload, retryAt: dueAt }, $setOnInsert: initial };
      await model.updateOne({ _id: { $eq: id } }, update, { upsert: true });
    },
    store: {
      findPending: async ({ now, after, limit }) => {
        const found = await model
          .find({ ...isPending, retryAt: { $not: { $gt: now } }, ...afterCursor(after) })
          .sort({ at: 1, _id: 1 })
          .limit(limit)
          .maxTimeMS(maxQueryMs)
          .lean<EntryDocument[]>();
        return found.map((document) => pendingOf<P>(document));
      },
      remove: async (documentId) => void (await model.deleteOne({ _id: { $eq: documentId } })),
      postpone: async (documentId, _entryId, { attempts, error, retryAt }) => {
        await model.updateOne({ _id: { $eq: documentId } }, { $set: { attempts, error, retryAt } });
      },
      park: async (documentId, _entry, { attempts, error, parkedAt }) => {
        await model.updateOne({ _id: { $eq: documentId } }, { $set: { attempts, error, parkedAt, retryAt: null } });
      },
      count: async () => {
        const [pending, parkedEntries] = await Promise.all([
          model.countDocuments(isPending).maxTimeMS(maxQueryMs),
          model.countDocuments({ parkedAt: { $type: 'date' } }).maxTimeMS(maxQueryMs),
        ]);
        pendingDocuments = pending;
        return { pendingDocuments, parkedEntries };
      },
    },
  };
}

function entrySchema(prefix: string, retentionDays: number) {
  const date = { type: Date, default: null } as const;
  const schema = new Schema<EntryDocument>(
    {
      _id: { type: String, required: true },
      at: { type: Date, required: true },
      payload: { type: Schema.Types.Mixed, required: true },
      attempts: { type: Number, default: 0 },
      retryAt: date,
      parkedAt: date,
      error: { type: String, default: '' },
    },
    schemaOptions,
  );
  schema.index({ parkedAt: 1, at: 1, _id: 1 }, { name: `${prefix}_pending` });
  schema.index({ at: 1 }, { name: `${prefix}_expiry`, expireAfterSeconds: retentionDays * secondsPerDay });
  return schema;
}

function pendingOf<P>({ _id, at, payload, attempts }: EntryDocument): PendingDocument<P> {
  const cursor = `${at.getTime()} ${_id}`;
  return { documentId: _id, cursor, entries: [{ id: _id, at, payload: payload as P }], attempts };
}

/** In the order of `at`, then `_id`. */
function afterCursor(cursor: string | null): object {
  if (cursor === null) return {};
  const space = cursor.indexOf(' ');
  const at = new Date(Number(cursor.slice(0, space)));
  return { $or: [{ at: { $gt: at } }, { at, _id: { $gt: cursor.slice(space + 1) } }] };
}
