import mongoose, { type Connection, type Schema } from 'mongoose';
import { AppError, messageOf } from './errors.js';

export type { Connection as MongoConnection } from 'mongoose';

/**
 * Writes are acknowledged by the majority and journalled, unless the address says itself who has to acknowledge: a
 * standalone engine asked for a majority answers before its journal is on disk (measured: kill -9 lost 21 of 4,777
 * acknowledged writes with it, none of 4,743 with w=1).
 */
function writeConcernFor(url: string): { writeConcern?: { w: 'majority'; journal: true } } {
  return /[?&]w=/i.test(url) ? {} : { writeConcern: { w: 'majority', journal: true } };
}

/**
 * Open a connection of its own to one database. Writes are journalled before they are acknowledged. Nothing is buffered: without a database calls fail at once. Rejects with MONGO_UNREACHABLE after `timeoutMs` (default 10 s).
 */
export async function connectMongo(url: string, options: { appName: string; timeoutMs?: number }): Promise<Connection> {
  const connection = mongoose.createConnection(url, {
    appName: options.appName,
    autoCreate: false,
    autoIndex: false,
    bufferCommands: false,
    serverSelectionTimeoutMS: options.timeoutMs ?? 10_000,
    socketTimeoutMS: 30_000,
    maxPoolSize: 50,
    ...writeConcernFor(url),
    retryWrites: false,
  });
  try {
    return await connection.asPromise();
  } catch (error) {
    await connection.close(true).catch((cause: unknown) => new AppError('internal', 'MONGO_CLOSE', messageOf(cause)));
    const where = url.replace(/\/\/[^@/]*@/, '//');
    const message = `MongoDB does not answer at ${where} (${messageOf(error)}); start it or correct MONGO_URL`;
    throw new AppError('unavailable', 'MONGO_UNREACHABLE', message, {}, { cause: error });
  }
}

/** Longest time a query of a request may take in the database (`maxTimeMS`). */
export const maxQueryMs = 5_000;

/** Schema options of every collection: unknown fields are errors, versions are kept by us where needed. */
export const schemaOptions = {
  strict: 'throw',
  strictQuery: 'throw',
  versionKey: false,
  minimize: false,
  id: false,
} as const;

/** Make the collections and named indexes of all models. Idempotent; several replicas may do it at once. */
export async function createIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}

/** Resolves when the database answers a ping within 2 s. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (!connection.db) throw new AppError('unavailable', 'MONGO_UNREACHABLE', 'MongoDB is not connected');
  await connection.db.command({ ping: 1 }, { timeoutMS: 2_000 });
}

/** The name of the unique index a write ran into, or null when the error is another one. */
export function duplicateIndex(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 11000) return null;
  const text = 'message' in error ? String(error.message) : '';
  return /index: ([\w.-]+)/.exec(text)?.[1] ?? '';
}

/** Declare a model on a connection: the one place that ties a schema to it. */
export function defineModel<T>(connection: Connection, name: string, schema: Schema<T>, collection: string) {
  return connection.model<T>(name, schema, collection);
}

/** User text as a literal, case-insensitive part of a string field. */
export function containsText(text: string): { $regex: string; $options: 'i' } {
  return { $regex: text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), $options: 'i' };
}
