import mongoose from 'mongoose';
import { AppError } from '../errors/errors.js';

/**
 * Classes of the driver for a database that is not reached, beside those of MongoNetworkError, by their names: not all of
 * them are exported.
 */
const connectionErrors = new Set([
  'MongoClientClosedError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoServerSelectionError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
]);

/**
 * Codes of an engine that is starting, stopping, electing a primary, or out of reach of its majority.
 * Source: error_codes.yml of MongoDB.
 */
const unavailableCodes = new Set([6, 7, 64, 89, 91, 100, 189, 9001, 10107, 11600, 11602, 13435, 13436]);
const maxTimeExpiredCode = 50;
const outOfDiskSpaceCode = 14031;

/**
 * The condition of the database behind an error of its driver: DATABASE_UNAVAILABLE (unreachable, electing, or
 * shutting down), DATABASE_FULL (its disk), DATABASE_TIMEOUT (a query above its `maxTimeMS`); null for every other error.
 * A write that failed so may have happened.
 */
export function databaseCondition(error: unknown): AppError | null {
  if (!(error instanceof mongoose.mongo.MongoError)) return null;
  const isUnreached = error instanceof mongoose.mongo.MongoNetworkError || connectionErrors.has(error.name);
  if (isUnreached) return unavailable(error);
  const code = Number(error.code);
  if (code === outOfDiskSpaceCode) {
    return new AppError('unavailable', 'DATABASE_FULL', 'the disk of the database is full', {}, { cause: error });
  }
  if (code === maxTimeExpiredCode) {
    const message = 'the database took too long';
    return new AppError('deadline_exceeded', 'DATABASE_TIMEOUT', message, {}, { cause: error });
  }
  return unavailableCodes.has(code) ? unavailable(error) : null;
}

function unavailable(cause: Error): AppError {
  return new AppError('unavailable', 'DATABASE_UNAVAILABLE', 'the database does not answer', {}, { cause });
}
