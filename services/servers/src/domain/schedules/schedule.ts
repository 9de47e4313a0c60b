import { assertNever } from '@panel/kit/errors';
import type { ServerPermission } from '@panel/protos/permissions';
import { powerPermissions } from '@panel/protos/permissions';
import type { PowerAction } from '../servers/server.js';
import type { CronFields } from './cron.js';

export const triggerKinds = [
  'cron',
  'server_started',
  'server_crashed',
  'players_empty',
  'backup_failed',
  'webhook',
] as const;
export type TriggerKind = (typeof triggerKinds)[number];
/** Kinds that something which happens to the server sets off. */
export type EventTriggerKind = Exclude<TriggerKind, 'cron' | 'players_empty' | 'webhook'>;

export const taskActions = ['command', 'power', 'backup'] as const;
export type TaskAction = (typeof taskActions)[number];

/** What a schedule runs at. */
export interface Trigger {
  readonly kind: TriggerKind;
  /** For `players_empty`: so long no player has been there. 0 for other kinds. */
  readonly emptyMinutes: number;
  /** For `players_empty`: how the console shows a player who joins or leaves. Empty for other kinds. */
  readonly joinPattern: string;
  readonly leavePattern: string;
}

export interface ScheduleTask {
  readonly id: string;
  readonly action: TaskAction;
  /** A console line; a power action; patterns of ignored files, one a line. */
  readonly payload: string;
  /** After the start of the run or the end of the task before. */
  readonly timeOffsetSeconds: number;
  readonly continueOnFailure: boolean;
}

/** Tasks that run on a server at times or events. One document holds all of it, so that every step is one conditional update. */
export interface Schedule {
  readonly id: string;
  readonly serverId: string;
  /** From 0, unique per server: holds the number of schedules of a server. */
  readonly slot: number;
  readonly name: string;
  readonly cron: CronFields;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly onlyWhenOnline: boolean;
  readonly trigger: Trigger;
  readonly tasks: readonly ScheduleTask[];
  /** With the permissions of this user the tasks run. */
  readonly authorId: string;
  /** Changes with every change by a user, so that nothing starts from an old version. */
  readonly revision: string;
  readonly lastRunAt: Date | null;
  /** When the next run is due; null: nothing is due. */
  readonly nextRunAt: Date | null;
  /** The run in progress; null: none. */
  readonly run: ScheduleRun | null;
  /** Ended runs, newest first. */
  readonly runs: readonly EndedRun[];
  /** For `players_empty`: who is there, as far as the console of this generation has shown; null: not known. */
  readonly players: { readonly generation: number; readonly count: number } | null;
  /** A new one makes the web address before invalid. */
  readonly webhookNonce: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type RunCause = 'trigger' | 'manual';

export interface TaskResult {
  /** From 1. */
  readonly sequence: number;
  readonly action: TaskAction;
  readonly status: 'succeeded' | 'failed' | 'interrupted';
  /** Null: none. */
  readonly error: string | null;
  readonly endedAt: Date;
}

/** A run in progress. */
export interface ScheduleRun {
  readonly id: string;
  readonly cause: RunCause;
  /** With the permissions of this user the tasks run. */
  readonly authorId: string;
  readonly startedAt: Date;
  /** As they were when the run started. */
  readonly tasks: readonly ScheduleTask[];
  readonly onlyWhenOnline: boolean;
  /** Index of the current task. */
  readonly position: number;
  /**
   * `waiting`: the task starts at `dueAt`. `executing`: a worker has started it; when that has not recorded a result by `dueAt`,
   * it is dead, and the run continues with the next task.
   */
  readonly phase: 'waiting' | 'executing';
  readonly dueAt: Date;
  readonly results: readonly TaskResult[];
}

export interface EndedRun {
  readonly id: string;
  readonly cause: RunCause;
  readonly status: 'succeeded' | 'failed' | 'skipped';
  readonly error: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly results: readonly TaskResult[];
}

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

/** Runs started by events, web addresses and users are at least this far apart; cron has minutes by its form. */
export const minEventIntervalMs = 60_000;

/** The permission on the server that a task needs, of the users who write, execute or have written it. */
export function taskPermission({ action, payload }: Pick<ScheduleTask, 'action' | 'payload'>): ServerPermission {
  switch (action) {
    case 'command':
      return 'control.console';
    case 'backup':
      return 'backup.create';
    case 'power':
      // The payload was checked when it was written; what is unknown needs most.
      return isPowerAction(payload) ? powerPermissions[payload] : 'control.stop';
    default:
      return assertNever(action);
  }
}

export function isPowerAction(text: string): text is PowerAction {
  return Object.hasOwn(powerPermissions, text);
}

/** The permissions that tasks need and these lack. */
export function missingPermissions(
  tasks: readonly ScheduleTask[],
  holds: (permission: ServerPermission) => boolean,
): ServerPermission[] {
  return [...new Set(tasks.map(taskPermission))].filter((permission) => !holds(permission));
}

/** Patterns of ignored files of a backup task. */
export function ignoredFilesOf(payload: string): string[] {
  return payload
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
