import { assertNever, type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { isCommandLine, isOneLine, isTimezone } from '@panel/kit/text';
import { validateDonePattern } from '../eggs/done.js';
import { checkCron, type CronFields, nextTime } from './cron.js';
import {
  ignoredFilesOf,
  isPowerAction,
  type Schedule,
  scheduleLimits as limits,
  type ScheduleTask,
  type Trigger,
} from './schedule.js';

export type ScheduleFields = Pick<
  Schedule,
  'name' | 'cron' | 'timezone' | 'isActive' | 'onlyWhenOnline' | 'trigger' | 'tasks'
>;

/** Absent fields stay, also within `cron`. */
export type ScheduleUpdate = Partial<Omit<ScheduleFields, 'cron'>> & { readonly cron?: Partial<CronFields> };

export function mergeSchedule(schedule: Schedule, update: ScheduleUpdate): ScheduleFields {
  const { name, timezone, isActive, onlyWhenOnline, trigger, tasks } = { ...schedule, ...update };
  return { name, cron: { ...schedule.cron, ...update.cron }, timezone, isActive, onlyWhenOnline, trigger, tasks };
}

export function timesOf({ cron, timezone, isActive, trigger }: ScheduleFields): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const { kind, emptyMinutes, joinPattern, leavePattern } = trigger;
  const times = [minute, hour, dayOfMonth, month, dayOfWeek, timezone, isActive];
  return JSON.stringify([...times, kind, emptyMinutes, joinPattern, leavePattern]);
}

/** Throws INVALID_FIELDS. */
export function requireSchedule(
  fields: ScheduleFields,
  around: { readonly backupsLimit: number; readonly at: Date },
): void {
  const problems = checkSchedule(fields, around);
  requireValid(problems);
}

/** Messages by field. */
export function checkSchedule(
  fields: ScheduleFields,
  { backupsLimit, at }: { readonly backupsLimit: number; readonly at: Date },
): FieldMessages {
  const problems: FieldMessages = { ...checkCron(fields.cron), ...checkTrigger(fields.trigger) };
  const { name, timezone, tasks } = fields;
  if (name.length < 1 || name.length > 191 || !isOneLine(name)) {
    problems.name = ['must be one line of 1 to 191 characters'];
  }
  if (!isTimezone(timezone)) problems.timezone = ['must be a time zone like Europe/Berlin or UTC'];
  if (Object.keys(problems).length === 0 && nextTime(fields.cron, timezone, at) === null) {
    problems.cron = ['names no time that ever comes'];
  }
  if (tasks.length > limits.tasks) problems.tasks = [fieldProblem('too_long', `must be at most ${limits.tasks}`)];
  else tasks.forEach((task, index) => Object.assign(problems, checkTask(task, `tasks.${index}`, backupsLimit)));
  return problems;
}

function checkTrigger({ kind, emptyMinutes, joinPattern, leavePattern }: Trigger): FieldMessages {
  if (kind !== 'players_empty') return {};
  const problems: FieldMessages = {};
  if (!Number.isInteger(emptyMinutes) || emptyMinutes < 1 || emptyMinutes > limits.maxEmptyMinutes) {
    problems['trigger.empty_minutes'] = [
      fieldProblem('out_of_range', `must be between 1 and ${limits.maxEmptyMinutes}`),
    ];
  }
  for (const [field, pattern] of Object.entries({ join_pattern: joinPattern, leave_pattern: leavePattern })) {
    const problem = problemOfPattern(pattern);
    if (problem !== null) problems[`trigger.${field}`] = [problem];
  }
  return problems;
}

function problemOfPattern(pattern: string): string | null {
  if (pattern === '' || pattern.length > limits.maxPatternLength || !isCommandLine(pattern)) {
    return `must be one line of 1 to ${limits.maxPatternLength} characters`;
  }
  return validateDonePattern(pattern);
}

function checkTask(task: ScheduleTask, at: string, backupsLimit: number): FieldMessages {
  const problems: FieldMessages = {};
  const payload = payloadProblem(task, backupsLimit);
  if (payload !== null)
    problems[`${at}.${task.action === 'backup' && backupsLimit === 0 ? 'action' : 'payload'}`] = [payload];
  const { timeOffsetSeconds: offset } = task;
  if (!Number.isInteger(offset) || offset < 0 || offset > limits.maxOffsetSeconds) {
    problems[`${at}.time_offset`] = [
      fieldProblem('out_of_range', `must be between 0 and ${limits.maxOffsetSeconds} seconds`),
    ];
  }
  return problems;
}

function payloadProblem({ action, payload }: ScheduleTask, backupsLimit: number): string | null {
  switch (action) {
    case 'command':
      return payload === '' || payload.length > limits.maxCommandLength || !isCommandLine(payload)
        ? `must be one line of 1 to ${limits.maxCommandLength} characters without control characters`
        : null;
    case 'power':
      return isPowerAction(payload) ? null : 'must be start, stop, restart or kill';
    case 'backup':
      return backupsLimit === 0 ? 'this server may have no backups' : problemOfPatterns(ignoredFilesOf(payload));
    default:
      return assertNever(action);
  }
}

function problemOfPatterns(patterns: readonly string[]): string | null {
  const isBroken = (pattern: string) => pattern.length > limits.maxPatternLength || !isCommandLine(pattern);
  return patterns.length > limits.maxPatterns || patterns.some(isBroken)
    ? `must be at most ${limits.maxPatterns} lines of at most ${limits.maxPatternLength} characters`
    : null;
}
