import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { rotateScheduleWebhook } from '../../usecases/schedules/update-schedule.js';

export function handleRotateScheduleWebhook(
  context: ServersContext,
): Handler<ScheduleServiceService['rotateScheduleWebhook']> {
  return async (request, call) => ({ schedule: presentSchedule(await rotateScheduleWebhook(context, request, call)) });
}
