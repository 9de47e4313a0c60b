import { schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { type Schedule, taskActions, triggerKinds } from '../../domain/schedules/schedule.js';
import { count, required, text } from '../fields.js';

export type ScheduleDocument = Omit<Schedule, 'id'> & { _id: string };

const partOptions = { ...schemaOptions, _id: false };
const date = { type: Date, default: null } as const;
const id = { type: String, ...required };
const cause = { type: String, enum: ['trigger', 'manual'], ...required };

const cronSchema = new Schema({ minute: id, hour: id, dayOfMonth: id, month: id, dayOfWeek: id }, partOptions);

const triggerSchema = new Schema(
  {
    kind: { type: String, enum: triggerKinds, ...required },
    emptyMinutes: count,
    joinPattern: text,
    leavePattern: text,
  },
  partOptions,
);

const taskSchema = new Schema(
  {
    id,
    action: { type: String, enum: taskActions, ...required },
    payload: text,
    timeOffsetSeconds: count,
    continueOnFailure: { type: Boolean, ...required },
  },
  partOptions,
);

const resultSchema = new Schema(
  {
    sequence: count,
    action: { type: String, enum: taskActions, ...required },
    status: { type: String, enum: ['succeeded', 'failed', 'interrupted'], ...required },
    error: { type: String, default: null },
    endedAt: { type: Date, ...required },
  },
  partOptions,
);

const runSchema = new Schema(
  {
    id,
    cause,
    authorId: id,
    startedAt: { type: Date, ...required },
    tasks: [taskSchema],
    onlyWhenOnline: { type: Boolean, ...required },
    position: count,
    phase: { type: String, enum: ['waiting', 'executing'], ...required },
    dueAt: { type: Date, ...required },
    results: [resultSchema],
  },
  partOptions,
);

const endedRunSchema = new Schema(
  {
    id,
    cause,
    status: { type: String, enum: ['succeeded', 'failed', 'skipped'], ...required },
    error: { type: String, default: null },
    startedAt: { type: Date, ...required },
    endedAt: { type: Date, ...required },
    results: [resultSchema],
  },
  partOptions,
);

const playersSchema = new Schema({ generation: count, count }, partOptions);

/** Shard key: `_id`, hashed. */
export const scheduleSchema = new Schema<ScheduleDocument>(
  {
    _id: id,
    serverId: id,
    slot: count,
    name: id,
    cron: { type: cronSchema, ...required },
    timezone: id,
    isActive: { type: Boolean, ...required },
    onlyWhenOnline: { type: Boolean, ...required },
    trigger: { type: triggerSchema, ...required },
    tasks: [taskSchema],
    authorId: id,
    revision: id,
    lastRunAt: date,
    nextRunAt: date,
    run: { type: runSchema, default: null },
    runs: [endedRunSchema],
    players: { type: playersSchema, default: null },
    webhookNonce: id,
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  schemaOptions,
);
scheduleSchema.index({ serverId: 1, slot: 1 }, { name: 'schedule_server_slot', unique: true });
scheduleSchema.index(
  { nextRunAt: 1 },
  { name: 'schedule_next_run', partialFilterExpression: { nextRunAt: { $type: 'date' } } },
);
scheduleSchema.index(
  { 'run.dueAt': 1 },
  { name: 'schedule_run_due', partialFilterExpression: { 'run.dueAt': { $type: 'date' } } },
);
scheduleSchema.index(
  { 'trigger.kind': 1 },
  { name: 'schedule_players', partialFilterExpression: { 'trigger.kind': 'players_empty' } },
);
