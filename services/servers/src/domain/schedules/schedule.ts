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
/** Triggered by events of the server. */
export type EventTriggerKind = Exclude<TriggerKind, 'cron' | 'players_empty' | 'webhook'>;

export const taskActions = ['command', 'power', 'backup'] as const;
export type TaskAction = (typeof taskActions)[number];

export interface Trigger {
  readonly kind: TriggerKind;
  /** `players_empty` only, else 0. */
  readonly emptyMinutes: number;
  /** `players_empty` only, else empty. */
  readonly joinPattern: string;
  readonly leavePattern: string;
}

export interface ScheduleTask {
  readonly id: string;
  readonly action: TaskAction;
  /** Console line, power action, or ignore patterns (one per line). */
  readonly payload: string;
  /** After the run's start or the previous task's end. */
  readonly timeOffsetSeconds: number;
  readonly continueOnFailure: boolean;
}

/** One document: each step is one conditional update. */
export interface Schedule {
  readonly id: string;
  readonly serverId: string;
  /** From 0, unique per server: enforces the limit. */
  readonly slot: number;
  readonly name: string;
  readonly cron: CronFields;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly onlyWhenOnline: boolean;
  readonly trigger: Trigger;
  readonly tasks: readonly ScheduleTask[];
  /** Tasks run with their permissions. */
  readonly authorId: string;
  /** New with each user change: blocks starts from an old version. */
  readonly revision: string;
  readonly lastRunAt: Date | null;
  /** Null: nothing is due. */
  readonly nextRunAt: Date | null;
  readonly run: ScheduleRun | null;
  /** Newest first. */
  readonly runs: readonly EndedRun[];
  /** `players_empty` only; null: unknown. */
  readonly players: { readonly generation: number; readonly count: number } | null;
  /** A new one revokes the previous URL. */
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
  readonly error: string | null;
  readonly endedAt: Date;
}

export interface ScheduleRun {
  readonly id: string;
  readonly cause: RunCause;
  /** Tasks run with their permissions. */
  readonly authorId: string;
  readonly startedAt: Date;
  /** Copied at the start. */
  readonly tasks: readonly ScheduleTask[];
  readonly onlyWhenOnline: boolean;
  /** Of the current task. */
  readonly position: number;
  /**
   * `waiting`: starts at `dueAt`. `executing`: without a result by `dueAt` the worker is dead, and the run continues
   * with the next task.
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
