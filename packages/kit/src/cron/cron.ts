import { Cron } from 'croner';
import { type CronFieldName, cronFieldNames, explainField, plainField } from './cron-field.js';

export type CronFields = Readonly<Record<CronFieldName, string>>;

const everyMinute: CronFields = { minute: '*', hour: '*', day_of_month: '*', month: '*', day_of_week: '*' };
const maxFieldLength = 100;
/** `?` is any day here, the time of parsing to croner. */
const fieldPattern = /^([0-9A-Za-z*,/#-]+|\?)$/;

/** Of each field by itself; the text continues the field's name. */
export function findCronProblems(cron: CronFields): Partial<Record<CronFieldName, string>> {
  const found = cronFieldNames.map((name) => [name, problemOf(name, cron[name])] as const);
  return Object.fromEntries(found.filter(([, problem]) => problem !== null));
}

function problemOf(name: CronFieldName, text: string): string | null {
  const explanation = text.length > maxFieldLength ? null : explainField(text);
  if (explanation !== null) return explanation;
  if (text === '?' && !name.startsWith('day_')) return 'may be ? in day fields only';
  if (text.length > maxFieldLength || !fieldPattern.test(text)) {
    return `must be 1 to ${maxFieldLength} characters of a cron field`;
  }
  try {
    parseCron({ ...everyMinute, [name]: text }, 'UTC');
    return null;
  } catch (error) {
    if (!isCronError(error)) throw error;
    return `is no cron field: ${error.message.replace(/^CronPattern: /, '').slice(0, 200)}`;
  }
}

/** What `parseCron` and its result throw for wrong fields and time zones. */
export function isCronError(error: unknown): error is TypeError | RangeError {
  return error instanceof TypeError || error instanceof RangeError;
}

/**
 * Local times skipped by a clock change are the first valid time; repeated ones are one. Hours or minutes with `*` or a
 * step are both occurrences, no skipped times.
 */
export function parseCron(cron: CronFields, timezone: string): Cron {
  const pattern = cronFieldNames.map((name) => plainField(name, cron[name])).join(' ');
  return new Cron(pattern, { timezone, mode: '5-part', paused: true, fixedTimeRule: 'no-wildcard' });
}
