import type { TestClockServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { presentTestClock } from '../../present/test-clock.js';
import { requireTestClock } from '../../usecases/test-clock/require-test-clock.js';

export function handleGetTestClock(context: AdminContext): Handler<TestClockServiceService['getTestClock']> {
  return async () => ({ testClock: presentTestClock(await requireTestClock(context).read(), context.systemClock()) });
}
