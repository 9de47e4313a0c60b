import type { AdminContext } from '../../context.js';
import { checkAdvance, checkOffset } from '../../domain/test-clock.js';
import { fail } from '../../reasons.js';
import { getTestClock, type ShownClock } from './get-test-clock.js';
import { requireTestClock } from './require-test-clock.js';

type Deps = Pick<AdminContext, 'testClock' | 'systemClock'>;
type Advance = { readonly seconds: number } | { readonly to: Date };

/** Begins a move; of concurrent ones one. Throws TEST_CLOCK_OFF, TEST_CLOCK_MOVING, INVALID_FIELDS. */
export async function advanceTestClock(deps: Deps, advance: Advance): Promise<ShownClock> {
  const keeper = requireTestClock(deps);
  const isBegun =
    'seconds' in advance
      ? await keeper.advanceBy(checkAdvance('advance_seconds', advance.seconds * 1_000))
      : await keeper.advanceTo(offsetOf(deps, advance.to));
  const view = await getTestClock(deps);
  if (isBegun) return view;
  if ('seconds' in advance) checkOffset('advance_seconds', view.offsetMs + advance.seconds * 1_000);
  else {
    const targetMs = offsetOf(deps, advance.to);
    checkAdvance('to', targetMs - view.offsetMs);
    checkOffset('to', targetMs);
  }
  throw fail('TEST_CLOCK_MOVING', 'the test clock is being moved, wait until it has settled');
}

/** In real time. */
function offsetOf({ systemClock }: Deps, to: Date): number {
  return to.getTime() - systemClock().getTime();
}
