import type { TestClockServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { followTestClock } from '../../usecases/test-clock/follow-test-clock.js';

export function handleFollowTestClock(context: AdminContext): Handler<TestClockServiceService['followTestClock']> {
  return async (report, { signal }) => {
    const { offsetMs, round } = await followTestClock(context, report, signal);
    return { offsetMs, round };
  };
}
