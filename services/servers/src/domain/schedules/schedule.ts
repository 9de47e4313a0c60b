import { assertNever } from '@panel/kit/errors';
import { count, date, flag, id, listOf, oneOf, optional, orNull, part, type RecordOf, text } from '@panel/kit/records';
import type { ServerPermission } from '@panel/protos/permissions';
import { powerPermissions } from '@panel/protos/permissions';
import type { PowerAction } from '../servers/server.js';
import { cronFields } from './cron.js';

export const triggerKinds = [
  'cron',
  'server_started',
  'server_crashed',
  'players_empty',
  'backup_failed',
  'webhook',
] as const;
export type TriggerKind = (typeof triggerKinds)[number];
/** Triggered by events of the server. */
export type EventTriggerKind = Exclude<TriggerKind, 'cron' | 'players_empty' | 'webhook'>;

const taskActions = ['command', 'power', 'backup'] as const;

const triggerFields = {
  kind: oneOf(triggerKinds),
  /** `players_empty` only, else 0. */
  emptyMinutes: count,
  /** `players_empty` only, else empty. */
  joinPattern: text,
  leavePattern: text,
};
export type Trigger = RecordOf<typeof triggerFields>;

const taskFields = {
  id,
  action: oneOf(taskActions),
  /** Console line, power action, or ignore patterns (one per line). */
  payload: text,
  /** After the run's start or the previous task's end. */
  timeOffsetSeconds: count,
  continueOnFailure: flag,
};
export type ScheduleTask = RecordOf<typeof taskFields>;

const cause = oneOf(['trigger', 'manual']);

const resultFields = {
  /** From 1. */
  sequence: count,
  action: oneOf(taskActions),
  status: oneOf(['succeeded', 'failed', 'interrupted']),
  error: orNull(text),
  endedAt: date,
};
export type TaskResult = RecordOf<typeof resultFields>;

const runFields = {
  id,
  cause,
  /** Tasks run with their permissions. */
  authorId: id,
  startedAt: date,
  /** Copied at the start. */
  tasks: listOf(part(taskFields)),
  onlyWhenOnline: flag,
  /** Of the current task. */
  position: count,
  /**
   * `waiting`: starts at `dueAt`. `executing`: without a result by `dueAt` the worker is dead, and the run continues
   * with the next task.
   */
  phase: oneOf(['waiting', 'executing']),
  dueAt: date,
  results: listOf(part(resultFields)),
  /** Present: the run ends after its current task. */
  cancelReason: optional(text),
};
export type ScheduleRun = RecordOf<typeof runFields>;

const endedRunFields = {
  id,
  cause,
  status: oneOf(['succeeded', 'failed', 'skipped', 'cancelled']),
  error: orNull(text),
  startedAt: date,
  endedAt: date,
  results: listOf(part(resultFields)),
};
export type EndedRun = RecordOf<typeof endedRunFields>;

/** One document: each step is one conditional update. */
export const scheduleFields = {
  id,
  serverId: id,
  /** From 0, unique per server: enforces the limit. */
  slot: count,
  name: id,
  cron: part(cronFields),
  timezone: id,
  isActive: flag,
  onlyWhenOnline: flag,
  trigger: part(triggerFields),
  tasks: listOf(part(taskFields)),
  /** Tasks run with their permissions. */
  authorId: id,
  /** New with each user change: blocks steps of a run from an old version. */
  revision: id,
  lastRunAt: orNull(date),
  /** Null: nothing is due. */
  nextRunAt: orNull(date),
  run: orNull(part(runFields)),
  /** Newest first. */
  runs: listOf(part(endedRunFields)),
  /** `players_empty` only; null: unknown. */
  players: orNull(part({ generation: count, count })),
  /** A new one revokes the previous URL. */
  webhookNonce: id,
  createdAt: date,
  updatedAt: date,
};
export type Schedule = RecordOf<typeof scheduleFields>;

export const scheduleLimits = {
  perServer: 50,
  tasks: 10,
  runs: 10,
  maxOffsetSeconds: 900,
  maxCommandLength: 4096,
  maxPatterns: 64,
  maxPatternLength: 255,
  maxEmptyMinutes: 1440,
} as const;

/** For events, webhooks and users; cron is limited to minutes. */
export const minEventIntervalMs = 60_000;

/** Required at write, execution and run. */
export function taskPermission({ action, payload }: Pick<ScheduleTask, 'action' | 'payload'>): ServerPermission {
  switch (action) {
    case 'command':
      return 'control.console';
    case 'backup':
      return 'backup.create';
    case 'power':
      // Unknown payloads need the strongest permission.
      return isPowerAction(payload) ? powerPermissions[payload] : 'control.stop';
    default:
      return assertNever(action);
  }
}

export function isPowerAction(text: string): text is PowerAction {
  return Object.hasOwn(powerPermissions, text);
}

export function missingPermissions(
  tasks: readonly ScheduleTask[],
  holds: (permission: ServerPermission) => boolean,
): ServerPermission[] {
  return [...new Set(tasks.map(taskPermission))].filter((permission) => !holds(permission));
}

export function ignoredFilesOf(payload: string): string[] {
  return payload
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
