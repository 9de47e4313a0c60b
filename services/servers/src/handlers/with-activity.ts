import { type CallContext, derivedId } from '@panel/rpc';
import type { ActivityEvent } from '../domain/activity.js';
import type { ActivityLog } from '../activity-log.js';

type Work<Request, Response> = (request: Request, call: CallContext) => Promise<Response>;

/** `work`, recorded in the activity log when it has succeeded: a repeated creation once, and nothing for null. */
export function withActivity<Request, Response>(
  activity: ActivityLog,
  work: Work<Request, Response>,
  describe: (request: Request, response: Response) => ActivityEvent | null,
): Work<Request, Response> {
  return async (request, call) => {
    const response = await work(request, call);
    const id = call.idempotencyId === undefined ? undefined : derivedId(call.idempotencyId, 'activity');
    const event = describe(request, response);
    if (event !== null) activity.record(event, call.actor, id);
    return response;
  };
}
