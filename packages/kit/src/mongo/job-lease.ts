import { Schema } from 'mongoose';
import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from './connection.js';

/** When the last run of a job began. One document a job: not sharded. */
interface JobLeaseDocument {
  readonly _id: string;
  readonly heldUntil: Date;
}

const schema = new Schema<JobLeaseDocument>(
  { _id: { type: String, required: true }, heldUntil: { type: Date, required: true } },
  schemaOptions,
);

/** Calls `run` when this process gets the lease of the job; else resolves without it. */
type JobLease = (run: () => Promise<void>) => Promise<void>;

/**
 * Leases of the periodic jobs that one replica runs for all. A lease is held for `ttlMs`, also beyond the end of the run, so
 * that the job runs once in that time; a replica that dies in its run is followed by another one after it. `ttlMs` is longer
 * than a run takes and shorter than the interval of the job. Times are those of the database.
 */
export function createJobLeases(connection: MongoConnection): (name: string, ttlMs: number) => JobLease {
  const model = defineModel(connection, 'JobLease', schema, 'job_leases');
  const acquire = async (name: string, ttlMs: number): Promise<boolean> => {
    const isFree = { $expr: { $lte: [{ $ifNull: ['$heldUntil', new Date(0)] }, '$$NOW'] } };
    const hold = [{ $set: { heldUntil: { $add: ['$$NOW', ttlMs] } } }];
    try {
      // An upsert may not compare with the clock in its filter: the first lease is inserted, and is free at once.
      await model.updateOne({ _id: name }, { $setOnInsert: { heldUntil: new Date(0) } }, { upsert: true });
    } catch (error) {
      if (duplicateIndex(error) === null) throw error;
    }
    const result = await model
      .updateOne({ _id: name, ...isFree }, hold, { updatePipeline: true })
      .maxTimeMS(maxQueryMs);
    return result.modifiedCount === 1;
  };
  return (name, ttlMs) => async (run) => {
    if (await acquire(name, ttlMs)) await run();
  };
}
