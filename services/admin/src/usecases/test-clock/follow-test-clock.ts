import type { AdminContext } from '../../context.js';
import type { ClockRecord } from '../../domain/test-clock.js';
import type { ClockKeeper } from '../../test-clock/clock-keeper.js';
import { requireTestClock } from './require-test-clock.js';

/** Throws TEST_CLOCK_OFF. */
export async function followTestClock(
  context: Pick<AdminContext, 'testClock'>,
  report: Parameters<ClockKeeper['follow']>[0],
  signal: AbortSignal,
): Promise<ClockRecord> {
  return requireTestClock(context).follow(report, signal);
}
