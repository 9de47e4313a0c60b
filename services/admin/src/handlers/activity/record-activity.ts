import { type Handler } from '@panel/rpc';
import type { ActivityServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../../context.js';
import { parseEvents } from './parse-events.js';

/** Record an action. */
export function recordActivity({ activity, clock }: AdminContext): Handler<ActivityServiceService['recordActivity']> {
  return async (request) => {
    await activity.add(parseEvents(request.events, clock()));
    return {};
  };
}
