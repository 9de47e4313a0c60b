import { setTimeout as wait } from 'node:timers/promises';
import mongoose, { type Connection, type ConnectOptions, type Schema } from 'mongoose';
import { AppError, messageOf } from '../errors/errors.js';
import { databaseCondition } from './database-condition.js';
import { repairDriver } from './driver-repair.js';

export type { Connection as MongoConnection } from 'mongoose';

/**
 * Writes are acknowledged by the majority and journalled, unless the address says itself who has to acknowledge: a
 * standalone engine asked for a majority answers before its journal is on disk (measured: kill -9 lost 21 of 4,777
 * acknowledged writes with it, none of 4,743 with w=1).
 */
function writeConcernFor(url: string): { writeConcern?: { w: 'majority'; journal: true } } {
  return /[?&]w=/i.test(url) ? {} : { writeConcern: { w: 'majority', journal: true } };
}

/** How long an operation waits for a database that is known to be away: its caller is answered before that. */
const selectionMs = 1_000;
/** A monitor that hears nothing for both of these together takes the engine for away and ends what waits for it. */
const heartbeatMs = 5_000;
const retryPauseMs = 250;

interface ConnectMongoOptions {
  readonly appName: string;
  readonly timeoutMs?: number;
  /** Emit `commandStarted` and its like, for tests that inspect queries. */
  readonly monitorCommands?: boolean;
}

/**
 * Open a connection of its own to one database. Writes are journalled before they are acknowledged. Nothing is buffered:
 * without a database operations fail within a second (`databaseCondition`). Rejects with MONGO_UNREACHABLE when nothing
 * answers for `timeoutMs` (default 30 s: on a machine that starts everything at once, a single try may take too long again and
 * again).
 */
export async function connectMongo(url: string, options: ConnectMongoOptions): Promise<Connection> {
  repairDriver();
  const endsAt = performance.now() + (options.timeoutMs ?? 30_000);
  for (;;) {
    const connection = mongoose.createConnection(url, connectOptions(url, options));
    try {
      return await connection.asPromise();
    } catch (error) {
      await connection.close(true).catch((cause: unknown) => new AppError('internal', 'MONGO_CLOSE', messageOf(cause)));
      if (!databaseCondition(error) || performance.now() > endsAt) throw unreachable(url, error);
    }
    await wait(retryPauseMs);
  }
}

function connectOptions(url: string, options: ConnectMongoOptions): ConnectOptions {
  return {
    appName: options.appName,
    autoCreate: false,
    autoIndex: false,
    bufferCommands: false,
    serverSelectionTimeoutMS: selectionMs,
    connectTimeoutMS: heartbeatMs,
    heartbeatFrequencyMS: heartbeatMs,
    socketTimeoutMS: 30_000,
    waitQueueTimeoutMS: 5_000,
    maxPoolSize: 50,
    monitorCommands: options.monitorCommands ?? false,
    ...writeConcernFor(url),
    retryWrites: false,
    // MongoDB cuts the message of a duplicate key by bytes, through a character of the name that is taken, too.
    enableUtf8Validation: false,
  };
}

function unreachable(url: string, cause: unknown): AppError {
  const where = url.replace(/\/\/[^@/]*@/, '//');
  const message = `MongoDB does not answer at ${where} (${messageOf(cause)}); start it or correct MONGO_URL`;
  return new AppError('unavailable', 'MONGO_UNREACHABLE', message, {}, { cause });
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
