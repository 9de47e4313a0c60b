import { createRecordMapper, defineModel, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import {
  type EndedRun,
  type Schedule,
  scheduleLimits,
  type ScheduleRun,
  type TriggerKind,
} from '../../domain/schedules/schedule.js';
import { BatchedUpdates, type ConditionalUpdate } from '../batched-updates.js';
import { maxQueryMs } from '../fields.js';
import { value } from '../expressions.js';
import { scheduleSchema } from './schedule-schema.js';

type ScheduleChanges = Partial<
  Pick<
    Schedule,
    | 'name'
    | 'cron'
    | 'timezone'
    | 'isActive'
    | 'onlyWhenOnline'
    | 'trigger'
    | 'tasks'
    | 'authorId'
    | 'nextRunAt'
    | 'players'
    | 'webhookNonce'
  >
> & { readonly updatedAt: Date };

/** A claim requires it unchanged. */
type DueTick = Pick<Schedule, 'id' | 'revision' | 'nextRunAt'>;

/** A step of a run, and the schedule that decided what follows it. */
interface ReadStep {
  readonly schedule: Pick<Schedule, 'id' | 'revision'>;
  readonly run: Pick<ScheduleRun, 'id' | 'position' | 'phase' | 'dueAt'>;
}

/** `reason`: for the run history. */
export interface Cancellation {
  readonly reason: string;
  readonly at: Date;
}

/** Joined and left lines in sum: the count becomes max(`least`, count + `change`), as it never falls below zero. */
export interface PlayerCount {
  readonly generation: number;
  readonly change: number;
  readonly least: number;
  readonly emptyAt: Date;
}

/** Conditional updates; false or null: another caller won. */
export interface ScheduleStore {
  /** Null: no free slot. Throws for an existing id. */
  create(schedule: Omit<Schedule, 'slot'>): Promise<Schedule | null>;
  get(scheduleId: string): Promise<Schedule | null>;
  ofServer(serverId: string): Promise<Schedule[]>;
  /** Requires `revision`, sets `next`. With `cancellation` it cancels the current run, if any. */
  update(
    scheduleId: string,
    revision: string,
    next: string,
    changes: ScheduleChanges,
    cancellation?: Cancellation,
  ): Promise<Schedule | null>;
  /** A waiting run ends, an executing one after its task. Sets `next` as revision. Null: no run, or one cancelled already. */
  cancelRun(scheduleId: string, next: string, cancellation: Cancellation): Promise<Schedule | null>;
  delete(serverId: string, scheduleId: string): Promise<boolean>;
  deleteOfServer(serverId: string): Promise<void>;
  /** Oldest first. */
  due(at: Date, limit: number): Promise<Schedule[]>;
  /** With a due task or a dead worker, oldest first. */
  dueRuns(at: Date, limit: number): Promise<Schedule[]>;
  /** Unless a run is in progress. */
  startRun(tick: DueTick, run: ScheduleRun, nextRunAt: Date | null): Promise<boolean>;
  skipTick(tick: DueTick, nextRunAt: Date | null, skipped: EndedRun): Promise<boolean>;
  /** Null: a current run, or one after `notSince`. */
  startManually(scheduleId: string, run: ScheduleRun, notSince: Date): Promise<Schedule | null>;
  /** Requires the step and the revision as read. */
  advance(read: ReadStep, to: ScheduleRun): Promise<boolean>;
  /** As `advance`. `deactivate`: until a user activates the schedule again. */
  endRun(read: ReadStep, ended: EndedRun, deactivate: boolean): Promise<boolean>;
  /** Unless run after `notSince`; resolves with their number. */
  trigger(serverId: string, kind: TriggerKind, at: Date, notSince: Date): Promise<number>;
  triggerWebhook(scheduleId: string, nonce: string, at: Date, notSince: Date): Promise<void>;
  /** Active `players_empty` schedules. */
  watchingPlayers(): Promise<Pick<Schedule, 'id' | 'serverId' | 'trigger'>[]>;
  /** Due at `emptyAt` after the last leaves, not due with players. */
  countPlayers(scheduleId: string, count: PlayerCount): Promise<void>;
}

const { toRecord: scheduleOf } = createRecordMapper<Schedule>();

export function createScheduleStore(connection: MongoConnection): ScheduleStore {
  const model = defineModel(connection, 'Schedule', scheduleSchema, 'schedules');
  const find = async (filter: object, limit: number, sort: Record<string, 1>) => {
    const found = await model.find(filter).sort(sort).limit(limit).maxTimeMS(maxQueryMs).lean();
    return found.map(scheduleOf);
  };
  const changed = async (filter: object, update: object) => (await model.updateOne(filter, update)).matchedCount === 1;
  const after = async (filter: object, update: object) => {
    const options = { returnDocument: 'after', updatePipeline: true } as const;
    const found = await model.findOneAndUpdate(filter, update, options).lean();
    return found && scheduleOf(found);
  };
  const write = async (updates: readonly ConditionalUpdate[]) => {
    const operations = updates.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    return (await model.collection.bulkWrite(operations, { ordered: false })).matchedCount;
  };
  const keysOf = (updates: readonly ConditionalUpdate[]) => updates.map(({ key }) => key);
  const idsOf = (updates: readonly ConditionalUpdate[]) => updates.map(({ filter }) => String(filter['_id']));
  const starts = new BatchedUpdates(write, async (updates) => {
    const filter = { _id: { $in: idsOf(updates) }, 'run.id': { $in: keysOf(updates) } };
    const found = await model.find(filter, { run: 1 }).maxTimeMS(maxQueryMs).lean();
    return new Set(found.flatMap(({ run }) => (run ? [run.id] : [])));
  });
  const ends = new BatchedUpdates(write, async (updates) => {
    const filter = { _id: { $in: idsOf(updates) }, 'runs.id': { $in: keysOf(updates) } };
    const found = await model.find(filter, { runs: 1 }).maxTimeMS(maxQueryMs).lean();
    return new Set(found.flatMap(({ runs }) => runs.map(({ id }) => id)));
  });
  /** Random: concurrent creations rarely collide. */
  const freeSlot = async (serverId: string) => {
    const used = await model.find({ serverId }, { slot: 1 }).maxTimeMS(maxQueryMs).lean();
    const taken = new Set(used.map(({ slot }) => slot));
    const free = Array.from({ length: scheduleLimits.perServer }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    return free[Math.floor(Math.random() * free.length)] ?? null;
  };
  const pushRun = (ended: EndedRun) => ({
    runs: { $each: [ended], $position: 0, $slice: scheduleLimits.runs },
  });
  return {
    create: async ({ id, ...fields }) => {
      for (let tries = 0; tries < scheduleLimits.perServer; tries++) {
        const slot = await freeSlot(fields.serverId);
        if (slot === null) return null;
        try {
          await model.create({ _id: id, slot, ...fields });
          return { id, slot, ...fields };
        } catch (error) {
          // Taken meanwhile.
          if (duplicateIndex(error) !== 'schedule_server_slot') throw error;
        }
      }
      return null;
    },
    get: async (scheduleId) => {
      const found = await model.findById(scheduleId).maxTimeMS(maxQueryMs).lean();
      return found && scheduleOf(found);
    },
    ofServer: async (serverId) => find({ serverId }, scheduleLimits.perServer, { createdAt: 1, _id: 1 }),
    update: async (scheduleId, revision, next, changes, cancellation) => {
      const set = { ...changes, revision: next };
      const update = cancellation ? [{ $set: literals(set) }, { $set: cancelledRun(cancellation) }] : { $set: set };
      return after({ _id: scheduleId, revision }, update);
    },
    cancelRun: async (scheduleId, next, cancellation) => {
      const isCancellable = { run: { $ne: null }, 'run.cancelReason': null };
      const stages = [{ $set: { ...cancelledRun(cancellation), revision: next } }];
      return after({ _id: scheduleId, ...isCancellable }, stages);
    },
    delete: async (serverId, scheduleId) => (await model.deleteOne({ _id: scheduleId, serverId })).deletedCount === 1,
    deleteOfServer: async (serverId) => void (await model.deleteMany({ serverId })),
    due: async (at, limit) => find({ nextRunAt: { $lte: at, $type: 'date' } }, limit, { nextRunAt: 1 }),
    dueRuns: async (at, limit) => find({ 'run.dueAt': { $lte: at, $type: 'date' } }, limit, { 'run.dueAt': 1 }),
    startRun: async (tick, run, nextRunAt) =>
      starts.apply({
        key: run.id,
        filter: { ...isTick(tick), run: null },
        update: { $set: { run, nextRunAt, lastRunAt: run.startedAt } },
      }),
    skipTick: async (tick, nextRunAt, skipped) =>
      changed(isTick(tick), { $set: { nextRunAt, lastRunAt: skipped.startedAt }, $push: pushRun(skipped) }),
    startManually: async (scheduleId, run, notSince) =>
      after({ _id: scheduleId, run: null, ...lastRunBefore(notSince) }, { $set: { run, lastRunAt: run.startedAt } }),
    advance: async (read, to) => changed(isStep(read), { $set: { run: to } }),
    endRun: async (read, ended, deactivate) => {
      const stop = deactivate ? { isActive: false, nextRunAt: null } : {};
      return ends.apply({
        key: ended.id,
        filter: isStep(read),
        update: { $set: { run: null, ...stop }, $push: pushRun(ended) },
      });
    },
    trigger: async (serverId, kind, at, notSince) => {
      const filter = { serverId, 'trigger.kind': kind, isActive: true, nextRunAt: null, ...lastRunBefore(notSince) };
      return (await model.updateMany(filter, { $set: { nextRunAt: at } })).modifiedCount;
    },
    triggerWebhook: async (scheduleId, nonce, at, notSince) => {
      const filter = {
        _id: scheduleId,
        webhookNonce: nonce,
        'trigger.kind': 'webhook',
        isActive: true,
        nextRunAt: null,
      };
      await model.updateOne({ ...filter, ...lastRunBefore(notSince) } as never, { $set: { nextRunAt: at } });
    },
    watchingPlayers: async () => {
      const filter = { 'trigger.kind': 'players_empty', isActive: true } as const;
      const found = await model.find(filter, { serverId: 1, trigger: 1 }).maxTimeMS(maxQueryMs).lean();
      return found.map(({ _id, serverId, trigger }) => ({ id: _id, serverId, trigger }));
    },
    countPlayers: async (scheduleId, { generation, change, least, emptyAt }) => {
      const known = { $cond: [{ $eq: ['$players.generation', generation] }, '$players.count', 0] };
      const count = { $max: [least, { $add: [known, change] }] };
      const isEmpty = { $eq: ['$players.count', 0] };
      const stages = [
        { $set: { players: { generation, count } } },
        { $set: { nextRunAt: { $cond: [isEmpty, value(emptyAt), null] } } },
      ];
      await model.updateOne({ _id: scheduleId, isActive: true }, stages, { updatePipeline: true });
    },
  };
}

function isTick({ id, revision, nextRunAt }: DueTick) {
  return { _id: id, revision, nextRunAt };
}

function isStep({ schedule, run: { id, position, phase, dueAt } }: ReadStep) {
  const step = { 'run.id': id, 'run.position': position, 'run.phase': phase, 'run.dueAt': dueAt };
  return { _id: schedule.id, revision: schedule.revision, ...step };
}

function literals(fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, literal]) => [name, value(literal)]));
}

/** Cancels the current run in one update, in any of its phases. Changes nothing without a run. */
function cancelledRun({ reason, at }: Cancellation) {
  const ofRun = Object.fromEntries(['id', 'cause', 'startedAt', 'results'].map((name) => [name, `$run.${name}`]));
  const ended = { ...ofRun, status: 'cancelled', error: value(reason), endedAt: value(at) };
  const marked = { $mergeObjects: ['$run', { cancelReason: { $ifNull: ['$run.cancelReason', value(reason)] } }] };
  const isIn = (phase: ScheduleRun['phase']) => ({ $eq: ['$run.phase', phase] });
  const runs = { $slice: [{ $concatArrays: [[ended], '$runs'] }, scheduleLimits.runs] };
  return {
    run: { $cond: [isIn('waiting'), null, { $cond: [isIn('executing'), marked, '$run'] }] },
    runs: { $cond: [isIn('waiting'), runs, '$runs'] },
  };
}

function lastRunBefore(notSince: Date) {
  return { $or: [{ lastRunAt: null }, { lastRunAt: { $lte: notSince } }] };
}
