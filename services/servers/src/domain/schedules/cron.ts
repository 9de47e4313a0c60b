import { type CronFields as ApiFields, findCronProblems, parseCron } from '@panel/kit/cron';
import { id, type RecordOf } from '@panel/kit/records';

export const cronFields = { minute: id, hour: id, dayOfMonth: id, month: id, dayOfWeek: id };
export type CronFields = RecordOf<typeof cronFields>;

function inApiNames({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): ApiFields {
  return { minute, hour, day_of_month: dayOfMonth, month, day_of_week: dayOfWeek };
}

/** Messages by API field name. */
export function checkCron(cron: CronFields): Record<string, string[]> {
  const problems = Object.entries(findCronProblems(inApiNames(cron)));
  return Object.fromEntries(problems.map(([name, problem]) => [`cron.${name}`, [problem]]));
}

/** Null: none. */
export function nextTime(cron: CronFields, timezone: string, after: Date): Date | null {
  return parseCron(inApiNames(cron), timezone).nextRun(after);
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
