import type { AdminContext } from '../../context.js';
import { testClockOff } from '../../reasons.js';
import type { ClockKeeper } from '../../test-clock/clock-keeper.js';

/** Throws TEST_CLOCK_OFF. */
export function requireTestClock({ testClock }: Pick<AdminContext, 'testClock'>): ClockKeeper {
  if (testClock === null) throw testClockOff();
  return testClock;
}
