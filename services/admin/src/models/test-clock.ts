import { defineModel, documentSchema, duplicateIndex, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { count, date, id, orNull } from '@panel/kit/records';
import { type ClockRecord, type FollowingProcess, maxOffsetMs, newClock } from '../domain/test-clock.js';

/** One document per installation, which exists only in those that began with a test clock. */
const documentId = 'test_clock';
const clockSchema = documentSchema({ id, offsetMs: count, targetMs: orNull(count), round: count, pass: count });

/** By start of a process. */
const processSchema = documentSchema({ id, service: id, settledRound: count, seenAt: date });
processSchema.index({ seenAt: 1 }, { name: 'test_clock_process_expiry', expireAfterSeconds: 3_600 });

interface ProcessReport {
  readonly processId: string;
  readonly service: string;
  readonly settledRound: number;
}

export interface TestClockStore {
  /** Null: the installation has none. */
  find(): Promise<ClockRecord | null>;
  /** For a database without records; idempotent across replicas. False: it has some. */
  create(): Promise<boolean>;
  /** Begins a move, from where the clock is. Null: one goes on, or the target is not allowed. */
  advanceBy(advanceMs: number): Promise<ClockRecord | null>;
  /** Null: one goes on, or the target is not ahead by at most `maxMs`. */
  advanceTo(targetMs: number, maxMs: number): Promise<ClockRecord | null>;
  /** False: another replica did it. */
  step(from: ClockRecord, to: ClockRecord): Promise<boolean>;
  report(report: ProcessReport): Promise<void>;
  processes(): Promise<FollowingProcess[]>;
}

export function createTestClockStore(connection: MongoConnection): TestClockStore {
  const clocks = defineModel(connection, 'TestClock', clockSchema, 'test_clock');
  const processes = defineModel(connection, 'TestClockProcess', processSchema, 'test_clock_processes');
  const begin = async (filter: object, targetMs: unknown): Promise<ClockRecord | null> =>
    clocks
      .findOneAndUpdate({ _id: documentId, targetMs: null, ...filter }, [{ $set: { targetMs } }], {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .maxTimeMS(maxQueryMs)
      .lean();
  return {
    find: async () => clocks.findById(documentId).maxTimeMS(maxQueryMs).lean(),
    create: async () => {
      const used = await Promise.all(
        ['settings', 'activity'].map(async (name) => connection.collection(name).findOne({})),
      );
      if (used.some((found) => found !== null)) return false;
      try {
        await clocks.updateOne({ _id: documentId }, { $setOnInsert: newClock }, { upsert: true });
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
      }
      return true;
    },
    advanceBy: async (advanceMs) =>
      begin({ offsetMs: { $lte: maxOffsetMs - advanceMs } }, { $add: ['$offsetMs', advanceMs] }),
    advanceTo: async (targetMs, maxMs) => begin({ offsetMs: { $lt: targetMs, $gte: targetMs - maxMs } }, targetMs),
    step: async ({ round, pass, targetMs }, to) => {
      const filter = { _id: documentId, round, pass, targetMs };
      const { modifiedCount } = await clocks.updateOne(filter, { $set: to }).maxTimeMS(maxQueryMs);
      return modifiedCount === 1;
    },
    report: async ({ processId, service, settledRound }) => {
      // Reports of a process overtake each other.
      const latest = { $max: ['$settledRound', settledRound] };
      const values = { service: { $literal: service }, settledRound: latest, seenAt: '$$NOW' };
      await processes
        .updateOne({ _id: processId }, [{ $set: values }], {
          upsert: true,
          updatePipeline: true,
          // A lost report is repeated within a second.
          writeConcern: { w: 1, j: false },
        })
        .maxTimeMS(maxQueryMs);
    },
    processes: async () =>
      processes
        .aggregate<FollowingProcess>([
          {
            $project: {
              _id: 0,
              service: 1,
              settledRound: 1,
              silentMs: { $subtract: ['$$NOW', '$seenAt'] },
            },
          },
        ])
        .option({ maxTimeMS: maxQueryMs }),
  };
}
