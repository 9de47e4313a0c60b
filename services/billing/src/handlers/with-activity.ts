import { type CallContext, derivedId } from '@panel/rpc';
import type { BillingContext } from '../context.js';
import type { ActivityEvent } from '../domain/activity.js';

type Work<Request, Response> = (request: Request, call: CallContext) => Promise<Response>;

/** `work`, which is written to the activity log when it has succeeded: a repeated creation once. */
export function withActivity<Request, Response>(
  { activity, log }: Pick<BillingContext, 'activity' | 'log'>,
  work: Work<Request, Response>,
  describe: (request: Request, response: Response) => ActivityEvent,
): Work<Request, Response> {
  return async (request, call) => {
    const response = await work(request, call);
    const id = call.idempotencyId === undefined ? undefined : derivedId(call.idempotencyId, 'activity');
    try {
      await activity.record(describe(request, response), call.actor, id);
    } catch (error) {
      // What was done is done: its answer is not lost with its entry in the log.
      log.error({ err: error }, 'an activity was not recorded');
    }
    return response;
  };
}
