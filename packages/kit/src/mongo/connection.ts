import { setTimeout as wait } from 'node:timers/promises';
import mongoose, { type Connection, type ConnectOptions, type Schema } from 'mongoose';
import { AppError, messageOf } from '../errors/errors.js';
import { databaseCondition } from './database-condition.js';
import { repairDriver } from './driver-repair.js';

export type { Connection as MongoConnection } from 'mongoose';

/**
 * Unless the address sets w: a standalone engine answers a majority write before its journal is on disk (measured: kill
 * -9 lost 21 of 4,777 acknowledged writes, with w=1 none of 4,743).
 */
function writeConcernFor(url: string): { writeConcern?: { w: 'majority'; journal: true } } {
  return /[?&]w=/i.test(url) ? {} : { writeConcern: { w: 'majority', journal: true } };
}

/** Wait for an unreachable database; below callers' deadlines. */
const selectionMs = 1_000;
/** Twice in sum without an answer, the monitor ends waiting operations. */
const heartbeatMs = 5_000;
const retryPauseMs = 250;

interface ConnectMongoOptions {
  readonly appName: string;
  readonly timeoutMs?: number;
  /** Emits `commandStarted` and similar events, for tests. */
  readonly monitorCommands?: boolean;
}

/**
 * A connection of its own. Writes are journalled before they are acknowledged. Operations fail within a second without
 * a database (`databaseCondition`). Throws MONGO_UNREACHABLE after `timeoutMs` (default 30 s) of retries, for machines
 * that start everything at once.
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
    // MongoDB truncates duplicate key messages within characters.
    enableUtf8Validation: false,
  };
}

function unreachable(url: string, cause: unknown): AppError {
  const where = url.replace(/\/\/[^@/]*@/, '//');
  const message = `MongoDB does not answer at ${where} (${messageOf(cause)}); start it or correct MONGO_URL`;
  return new AppError('unavailable', 'MONGO_UNREACHABLE', message, {}, { cause });
}

/** `maxTimeMS` of a request's queries. */
export const maxQueryMs = 5_000;

/** For every collection: unknown fields are errors, without mongoose versions. */
export const schemaOptions = {
  strict: 'throw',
  strictQuery: 'throw',
  versionKey: false,
  minimize: false,
  id: false,
} as const;

/** And collections, in one command for each. Idempotent, safe for concurrent replicas. */
export async function createIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    const indexes = model.schema.indexes().map(([key, options]) => ({ ...options, key }));
    if (indexes.length === 0) await model.createCollection();
    else await model.collection.createIndexes(indexes as mongoose.mongo.IndexDescription[]);
  }
}

/** Deadline 2 s. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (!connection.db) throw new AppError('unavailable', 'MONGO_UNREACHABLE', 'MongoDB is not connected');
  await connection.db.command({ ping: 1 }, { timeoutMS: 2_000 });
}

/** Null for other errors. */
export function duplicateIndex(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 11000) return null;
  const text = 'message' in error ? String(error.message) : '';
  return /index: ([\w.-]+)/.exec(text)?.[1] ?? '';
}

/** `maxTimeMS` was over. */
export function isTimeLimit(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 50;
}

export function defineModel<T>(connection: Connection, name: string, schema: Schema<T>, collection: string) {
  return connection.model<T>(name, schema, collection);
}

/** A literal, case-insensitive substring match. */
export function containsText(text: string): { $regex: string; $options: 'i' } {
  return { $regex: text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), $options: 'i' };
}
