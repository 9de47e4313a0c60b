import type { ActivityServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { recordActivity } from '../../usecases/activity/record-activity.js';
import { readEvents } from './read-events.js';

export function handleRecordActivity(context: AdminContext): Handler<ActivityServiceService['recordActivity']> {
  return async (request) => {
    await recordActivity(context, readEvents(request.events));
    return {};
  };
}
