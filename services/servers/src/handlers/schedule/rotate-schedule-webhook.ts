import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { rotateWebhook } from '../../usecases/schedules/update-schedule.js';
import { showSchedule } from './show-schedule.js';

export function rotateScheduleWebhook(
  context: ServersContext,
): Handler<ScheduleServiceService['rotateScheduleWebhook']> {
  return async (request, call) => ({ schedule: showSchedule(context, await rotateWebhook(context, request, call)) });
}
