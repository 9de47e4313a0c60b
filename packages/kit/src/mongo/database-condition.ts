import mongoose from 'mongoose';
import { AppError } from '../errors/errors.js';

/** By name, because the driver does not export all. */
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

/** Starting, stopping, electing, or without a majority. Source: error_codes.yml of MongoDB. */
const unavailableCodes = new Set([6, 7, 64, 89, 91, 100, 189, 9001, 10107, 11600, 11602, 13435, 13436]);
const maxTimeExpiredCode = 50;
const outOfDiskSpaceCode = 14031;

/**
 * DATABASE_UNAVAILABLE (unreachable, electing or stopping), DATABASE_FULL, DATABASE_TIMEOUT (`maxTimeMS`); null for
 * other errors. The failed write may have happened.
 */
export function databaseCondition(error: unknown): AppError | null {
  // A connection that was never made: mongoose's own error, without the driver's class.
  if (error instanceof mongoose.Error.MongooseServerSelectionError) return unavailable(error);
  if (!(error instanceof mongoose.mongo.MongoError)) return null;
  // A bulk write hides what ended it.
  if (error instanceof mongoose.mongo.MongoBulkWriteError && error.errorResponse instanceof Error)
    return databaseCondition(error.errorResponse);
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
