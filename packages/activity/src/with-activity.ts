import { type CallContext, derivedId } from '@panel/rpc';
import type { ActivityLog } from './activity-log.js';
import type { ActivityEvent } from './events.js';

type Work<Request, Response> = (request: Request, call: CallContext) => Promise<Response>;

/** After its success and before its answer: a repeated creation once, nothing when `describe` returns null. */
export function withActivity<Request, Response>(
  activity: Pick<ActivityLog, 'record'>,
  work: Work<Request, Response>,
  describe: (request: Request, response: Response) => ActivityEvent | null,
): Work<Request, Response> {
  return async (request, call) => {
    const response = await work(request, call);
    const event = describe(request, response);
    const id = call.idempotencyId === undefined ? undefined : derivedId(call.idempotencyId, 'activity');
    if (event !== null) await activity.record(event, call.actor, id);
    return response;
  };
}
