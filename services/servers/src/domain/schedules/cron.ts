import { id, type RecordOf } from '@panel/kit/records';
import { Cron } from 'croner';
import { type CronFieldName, explainField, plainField } from './cron-field.js';

export const cronFields = { minute: id, hour: id, dayOfMonth: id, month: id, dayOfWeek: id };
export type CronFields = RecordOf<typeof cronFields>;

const fieldNames = {
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day_of_month',
  month: 'month',
  dayOfWeek: 'day_of_week',
} as const satisfies Record<keyof CronFields, CronFieldName>;

const maxFieldLength = 100;
/** `?` is any day here, the time of parsing to croner. */
const fieldPattern = /^([0-9A-Za-z*,/#-]+|\?)$/;

/** Messages by API field name. */
export function checkCron(cron: CronFields): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const every: CronFields = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };
  for (const [key, name] of Object.entries(fieldNames) as [keyof CronFields, CronFieldName][]) {
    const text = cron[key];
    const explanation = text.length > maxFieldLength ? null : explainField(text);
    if (explanation !== null) problems[`cron.${name}`] = [explanation];
    else if (text === '?' && !name.startsWith('day_')) problems[`cron.${name}`] = ['may be ? in day fields only'];
    else if (text.length > maxFieldLength || !fieldPattern.test(text)) {
      problems[`cron.${name}`] = [`must be 1 to ${maxFieldLength} characters of a cron field`];
    } else {
      const problem = problemOf({ ...every, [key]: text });
      if (problem !== null) problems[`cron.${name}`] = [problem];
    }
  }
  return problems;
}

function problemOf(cron: CronFields): string | null {
  try {
    parse(cron, 'UTC');
    return null;
  } catch (error) {
    // Croner's errors.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return `is no cron field: ${error.message.replace(/^CronPattern: /, '').slice(0, 200)}`;
  }
}

/**
 * Null: none. Local times skipped by a clock change run at the first valid time; repeated ones run once. Hours or
 * minutes with `*` or a step run at both occurrences, not at skipped times.
 */
export function nextTime(cron: CronFields, timezone: string, after: Date): Date | null {
  return parse(cron, timezone).nextRun(after);
}

function parse(cron: CronFields, timezone: string): Cron {
  const fields = Object.entries(fieldNames) as [keyof CronFields, CronFieldName][];
  const pattern = fields.map(([key, name]) => plainField(name, cron[key])).join(' ');
  return new Cron(pattern, { timezone, mode: '5-part', paused: true, fixedTimeRule: 'no-wildcard' });
}

interface ScheduleTimes {
  readonly cron: CronFields;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly trigger: { readonly kind: string };
}

/** Null: inactive or event-driven. */
export function nextRunTime({ cron, timezone, isActive, trigger }: ScheduleTimes, at: Date): Date | null {
  return isActive && trigger.kind === 'cron' ? nextTime(cron, timezone, at) : null;
}
