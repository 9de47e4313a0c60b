import type { TestClockServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { requireTestClock } from '../../usecases/test-clock/require-test-clock.js';

export function handleFollowTestClock(context: AdminContext): Handler<TestClockServiceService['followTestClock']> {
  return async (report, { signal }) => {
    const { offsetMs, round } = await requireTestClock(context).follow(report, signal);
    return { offsetMs, round };
  };
}
