import { type Handler, requireService } from '@panel/rpc';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../../context.js';
import { parseEvents } from './parse-events.js';

/** Write down what somebody did. */
export function recordActivity({ activity, clock }: AdminContext): Handler<ActivityServiceService['recordActivity']> {
  return async (request, { actor }) => {
    requireService(actor);
    await activity.add(parseEvents(request.events, clock()));
    return {};
  };
}
