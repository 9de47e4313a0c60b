import type { AdvanceTestClockRequest, TestClockServiceService } from '@panel/protos/admin';
import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { presentTestClock } from '../../present/test-clock.js';
import { advanceTestClock } from '../../usecases/test-clock/advance-test-clock.js';

export function handleAdvanceTestClock(context: AdminContext): Handler<TestClockServiceService['advanceTestClock']> {
  return async (request) => ({ testClock: presentTestClock(await advanceTestClock(context, readAdvance(request))) });
}

function readAdvance({ by }: AdvanceTestClockRequest) {
  if (by === undefined) throw invalidFields({ advance_seconds: [fieldProblem('required', 'is needed, or to')] });
  return by.$case === 'to' ? { to: by.value } : { seconds: by.value };
}
