import type { TestClockServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { presentTestClock } from '../../present/test-clock.js';
import { getTestClock } from '../../usecases/test-clock/get-test-clock.js';

export function handleGetTestClock(context: AdminContext): Handler<TestClockServiceService['getTestClock']> {
  return async () => ({ testClock: presentTestClock(await getTestClock(context)) });
}
