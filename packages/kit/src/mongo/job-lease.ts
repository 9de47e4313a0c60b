import { Schema } from 'mongoose';
import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from './connection.js';

interface JobLeaseDocument {
  readonly _id: string;
  readonly heldUntil: Date;
}

const schema = new Schema<JobLeaseDocument>(
  { _id: { type: String, required: true }, heldUntil: { type: Date, required: true } },
  schemaOptions,
);

/** Calls `run` only with the job's lease. */
type JobLease = (run: () => Promise<void>) => Promise<void>;

/**
 * For periodic jobs of a single replica. A lease lasts `ttlMs`, beyond the run's end; after a crash another replica
 * follows. `ttlMs` is longer than a run and shorter than the job's interval. Uses database time.
 */
export function createJobLeases(connection: MongoConnection): (name: string, ttlMs: number) => JobLease {
  const model = defineModel(connection, 'JobLease', schema, 'job_leases');
  const acquire = async (name: string, ttlMs: number): Promise<boolean> => {
    const isFree = { $expr: { $lte: [{ $ifNull: ['$heldUntil', new Date(0)] }, '$$NOW'] } };
    const hold = [{ $set: { heldUntil: { $add: ['$$NOW', ttlMs] } } }];
    try {
      // An upsert filter cannot compare with the clock.
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
