import { endOfPeriod, isRecurring } from './calendar.js';
import type { Plan } from './product.js';
import { renewalTime } from './renewal.js';
import type { BillingSettings } from './settings.js';

export function startOf(plan: Plan, at: Date, settings: Pick<BillingSettings, 'timezone' | 'invoiceDaysBefore'>) {
  const { interval, intervalCount } = plan;
  const { timezone, invoiceDaysBefore } = settings;
  const nextDueAt = isRecurring(interval) ? endOfPeriod(at, { interval, intervalCount }, 1, timezone) : null;
  return {
    status: 'provisioning' as const,
    anchorAt: at,
    periods: 1,
    nextDueAt,
    renewAt: nextDueAt && renewalTime(at, nextDueAt, invoiceDaysBefore),
    meterAt: interval === 'metered' ? at : null,
  };
}
