import { ActivityServiceService } from '@panel/protos/admin';
import { serve, type ServedService } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { handleListActivity } from './list-activity.js';
import { handleRecordActivity } from './record-activity.js';

export function createActivityService(context: AdminContext): ServedService {
  return serve(ActivityServiceService, {
    listActivity: handleListActivity(context),
    recordActivity: handleRecordActivity(context),
  });
}
