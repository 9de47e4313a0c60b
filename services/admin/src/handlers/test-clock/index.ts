import { TestClockServiceService } from '@panel/protos/admin';
import { serve, type ServedService } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { handleAdvanceTestClock } from './advance-test-clock.js';
import { handleFollowTestClock } from './follow-test-clock.js';
import { handleGetTestClock } from './get-test-clock.js';

export function createTestClockService(context: AdminContext): ServedService {
  return serve(TestClockServiceService, {
    getTestClock: handleGetTestClock(context),
    advanceTestClock: handleAdvanceTestClock(context),
    followTestClock: handleFollowTestClock(context),
  });
}
