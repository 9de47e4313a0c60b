import type { AdminContext } from '../../context.js';
import type { ClockView } from '../../test-clock/clock-keeper.js';
import { requireTestClock } from './require-test-clock.js';

/** At a real time. */
export interface ShownClock extends ClockView {
  readonly at: Date;
}

/** Throws TEST_CLOCK_OFF. */
export async function getTestClock(context: Pick<AdminContext, 'testClock' | 'systemClock'>): Promise<ShownClock> {
  return { ...(await requireTestClock(context).read()), at: context.systemClock() };
}
