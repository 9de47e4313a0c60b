import { type CronFields, cronFieldNames, findCronProblems, isCronError, parseCron } from '@panel/kit/cron';

export { type CronFields, cronFieldNames };

/** Common plans; an expression for all else. */
export type CronPlan =
  | { readonly kind: 'minutes'; readonly every: number }
  | { readonly kind: 'hourly'; readonly minute: number }
  | { readonly kind: 'daily'; readonly hour: number; readonly minute: number }
  | { readonly kind: 'weekly'; readonly days: readonly number[]; readonly hour: number; readonly minute: number }
  | { readonly kind: 'monthly'; readonly day: number; readonly hour: number; readonly minute: number }
  | { readonly kind: 'expression'; readonly cron: CronFields };

export type PlanKind = CronPlan['kind'];

const everyField: CronFields = { minute: '*', hour: '*', day_of_month: '*', month: '*', day_of_week: '*' };

const numberOf = (text: string): number | null => (/^\d{1,2}$/.test(text) ? Number(text) : null);

function assertNever(value: never): never {
  throw new TypeError(`not known: ${String(value)}`);
}

/** The expression's simple plan, if any. */
export function planOf(cron: CronFields): CronPlan {
  const { minute, hour, day_of_month, month, day_of_week } = cron;
  const expression: CronPlan = { kind: 'expression', cron };
  if (month !== '*') return expression;
  const everyDay = day_of_month === '*' && day_of_week === '*';
  const step = /^\*\/(\d{1,2})$/.exec(minute)?.[1];
  if (everyDay && hour === '*' && (minute === '*' || step !== undefined)) {
    return { kind: 'minutes', every: Number(step ?? 1) };
  }
  const atMinute = numberOf(minute);
  if (atMinute === null) return expression;
  if (everyDay && hour === '*') return { kind: 'hourly', minute: atMinute };
  const atHour = numberOf(hour);
  if (atHour === null) return expression;
  if (everyDay) return { kind: 'daily', hour: atHour, minute: atMinute };
  if (day_of_month === '*' && /^[0-6](,[0-6])*$/.test(day_of_week)) {
    return { kind: 'weekly', days: day_of_week.split(',').map(Number), hour: atHour, minute: atMinute };
  }
  const day = numberOf(day_of_month);
  if (day_of_week === '*' && day !== null) return { kind: 'monthly', day, hour: atHour, minute: atMinute };
  return expression;
}

export function cronOf(plan: CronPlan): CronFields {
  switch (plan.kind) {
    case 'minutes':
      return { ...everyField, minute: plan.every === 1 ? '*' : `*/${plan.every}` };
    case 'hourly':
      return { ...everyField, minute: String(plan.minute) };
    case 'daily':
      return { ...everyField, minute: String(plan.minute), hour: String(plan.hour) };
    case 'weekly': {
      const days = [...plan.days].sort((a, b) => a - b).join(',');
      return { ...everyField, minute: String(plan.minute), hour: String(plan.hour), day_of_week: days };
    }
    case 'monthly':
      return { ...everyField, minute: String(plan.minute), hour: String(plan.hour), day_of_month: String(plan.day) };
    case 'expression':
      return plan.cron;
    default:
      return assertNever(plan);
  }
}

/** A plan of another kind that keeps the time of day if possible. */
export function planOfKind(kind: PlanKind, from: CronPlan): CronPlan {
  const { minute, hour } = { minute: 0, hour: 4, ...from };
  switch (kind) {
    case 'minutes':
      return { kind, every: 30 };
    case 'hourly':
      return { kind, minute };
    case 'daily':
      return { kind, hour, minute };
    case 'weekly':
      return { kind, days: [1], hour, minute };
    case 'monthly':
      return { kind, day: 1, hour, minute };
    case 'expression':
      return { kind, cron: cronOf(from) };
    default:
      return assertNever(kind);
  }
}

/** By the names of the API. */
export function cronProblems(cron: CronFields): Readonly<Record<string, readonly string[]>> {
  const problems = Object.entries(findCronProblems(cron));
  return Object.fromEntries(problems.map(([name, problem]) => [`cron.${name}`, [problem]]));
}

/** Empty for an invalid expression or without a future time. */
export function nextRuns(cron: CronFields, timezone: string, from: Date, count: number): Date[] {
  if (Object.keys(findCronProblems(cron)).length > 0) return [];
  try {
    return parseCron(cron, timezone).nextRuns(count, from);
  } catch (error) {
    if (isCronError(error)) return [];
    throw error;
  }
}
