import { maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { optional } from '@panel/kit/records';
import { Schema } from 'mongoose';
import type { OutboxEntry } from '../entry.js';
import type { OutboxStore, PendingDocument } from '../store.js';

/** Absent until the first entry. */
export interface EmbeddedOutbox<P> {
  readonly entries: readonly OutboxEntry<P>[];
  /** Present while `entries` is not empty: key of the partial index. */
  readonly pending?: true;
  readonly retry?: { readonly id: string; readonly attempts: number; readonly at: Date; readonly error: string };
  readonly parked?: readonly ParkedEntry<P>[];
}

interface ParkedEntry<P> extends OutboxEntry<P> {
  readonly parkedAt: Date;
  readonly attempts: number;
  readonly error: string;
}

/** Merge them into the change's update. */
export interface AppendParts {
  readonly $set: Record<string, true>;
  readonly $push: Record<string, { $each: object[]; $slice?: number }>;
}

interface EmbeddedOutboxOptions {
  /** In one document. Default 100. */
  readonly capacity?: number;
  /** True: a full list drops its oldest entry. False (default): refuse the change, by `hasRoom`. */
  readonly dropsOldest?: boolean;
}

const defaultCapacity = 100;
/** Parked entries kept per document; older ones are only logged. */
const parkedRetained = 20;

type EmbeddedOutboxField<P> = ReturnType<typeof defineEmbeddedOutbox<P>>;

/** After insertion the document never sets `field` as a whole or to null. */
export function defineEmbeddedOutbox<P>(field: string, options: EmbeddedOutboxOptions = {}) {
  const { capacity = defaultCapacity, dropsOldest = false } = options;
  const entriesPath = `${field}.entries`;
  return {
    field,
    /** For `documentSchema`, under the name `field`. */
    schemaType: optional<EmbeddedOutbox<P>>({ type: outboxSchema() }),
    /** Adds the partial indexes `<prefix>_pending` and `<prefix>_parked`. */
    addIndexes: (schema: Pick<Schema, 'index'>, prefix: string): void => {
      const isPending = { [`${field}.pending`]: true };
      schema.index(
        { [`${field}.pending`]: 1, _id: 1 },
        { name: `${prefix}_pending`, partialFilterExpression: isPending },
      );
      const isParked = { [`${field}.parked.parkedAt`]: { $type: 'date' } };
      schema.index(
        { [`${field}.parked.parkedAt`]: 1 },
        { name: `${prefix}_parked`, partialFilterExpression: isParked },
      );
    },
    /** For an insertion with the first entries. */
    initial: (entries: readonly OutboxEntry<P>[]): EmbeddedOutbox<P> =>
      entries.length === 0 ? { entries } : { entries, pending: true },
    append: (...entries: readonly OutboxEntry<P>[]): AppendParts => ({
      $set: { [`${field}.pending`]: true },
      $push: { [entriesPath]: { $each: [...entries], ...(dropsOldest && { $slice: -capacity }) } },
    }),
    /** Filter of documents with room for `count` entries. */
    hasRoom: (count = 1): Record<string, unknown> => ({ [`${entriesPath}.${capacity - count}`]: { $exists: false } }),
    excluded: { [field]: 0 } as const,
  };
}

function outboxSchema() {
  const part = { _id: false, id: false, strict: 'throw', minimize: false } as const;
  const text = { type: String, required: true } as const;
  const date = { type: Date, required: true } as const;
  const count = { type: Number, required: true } as const;
  const entry = { id: text, at: date, payload: { type: Schema.Types.Mixed, required: true } };
  return new Schema(
    {
      entries: { type: [new Schema(entry, part)], default: [] },
      pending: { type: Boolean },
      retry: { type: new Schema({ id: text, attempts: count, at: date, error: String }, part), required: false },
      parked: {
        type: [new Schema({ ...entry, parkedAt: date, attempts: count, error: String }, part)],
        default: undefined,
      },
    },
    part,
  );
}

interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** For documents with string ids. */
export function createEmbeddedOutboxStore<P>(
  connection: MongoConnection,
  collectionName: string,
  { field }: Pick<EmbeddedOutboxField<P>, 'field'>,
): OutboxStore<P> {
  const collection = connection.collection<StoredDocument>(collectionName);
  const path = (name: string) => `${field}.${name}`;
  const isPending = { [path('pending')]: true };
  const update = async (filter: { readonly _id: string; readonly [path: string]: unknown }, changes: object) =>
    collection.updateOne(filter, changes);
  const clearPending = async (documentId: string) =>
    update(
      { _id: documentId, ...isPending, [path('entries.0')]: { $exists: false } },
      { $unset: { [path('pending')]: 1 } },
    );
  return {
    findPending: async ({ now, after, limit }) => {
      const found = await collection
        .find(
          { ...isPending, [path('retry.at')]: { $not: { $gt: now } }, ...(after !== null && { _id: { $gt: after } }) },
          { projection: { [path('entries')]: 1, [path('retry')]: 1 }, sort: { _id: 1 }, limit, maxTimeMS: maxQueryMs },
        )
        .toArray();
      return found.map((document) => pendingOf<P>(document, field));
    },
    remove: async (documentId, entryIds) => {
      await update(
        { _id: documentId },
        { $pull: { [path('entries')]: { id: { $in: [...entryIds] } } }, $unset: { [path('retry')]: 1 } },
      );
      await clearPending(documentId);
    },
    postpone: async (documentId, id, { attempts, error, retryAt }) => {
      await update(
        { _id: documentId, [path('entries.id')]: id },
        { $set: { [path('retry')]: { id, attempts, at: retryAt, error } } },
      );
    },
    park: async (documentId, entry, failure) => {
      await update(
        { _id: documentId, [path('entries.id')]: entry.id },
        {
          $pull: { [path('entries')]: { id: entry.id } },
          $push: { [path('parked')]: { $each: [{ ...entry, ...failure }], $slice: -parkedRetained } },
          $unset: { [path('retry')]: 1 },
        },
      );
      await clearPending(documentId);
    },
    count: async () => {
      const [pendingDocuments, parked] = await Promise.all([
        collection.countDocuments(isPending, { maxTimeMS: maxQueryMs }),
        collection
          .find(
            { [path('parked.parkedAt')]: { $type: 'date' } },
            { projection: { [path('parked.parkedAt')]: 1 }, limit: 1_000, maxTimeMS: maxQueryMs },
          )
          .toArray(),
      ]);
      const parkedEntries = parked.reduce(
        (sum, document) => sum + (outboxOf<P>(document, field).parked?.length ?? 0),
        0,
      );
      return { pendingDocuments, parkedEntries };
    },
  };
}

function pendingOf<P>(document: StoredDocument, field: string): PendingDocument<P> {
  const { entries = [], retry } = outboxOf<P>(document, field);
  const attempts = retry !== undefined && retry.id === entries[0]?.id ? retry.attempts : 0;
  return { documentId: document._id, cursor: document._id, entries, attempts };
}

function outboxOf<P>(document: StoredDocument, field: string): Partial<EmbeddedOutbox<P>> {
  // Written only by this module.
  return document[field] ?? {};
}
