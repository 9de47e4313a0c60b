import { type Handler, requireService } from '@panel/rpc';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { checkEvents } from '../domain/activity-events.js';

/** Write down what somebody did. */
export function recordActivity({ activity, now }: AdminContext): Handler<ActivityServiceService['recordActivity']> {
  return async (request, { actor }) => {
    requireService(actor);
    await activity.add(checkEvents(request.events, now()));
    return {};
  };
}
