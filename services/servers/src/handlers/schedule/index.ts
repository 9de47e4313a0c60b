import { withActivity } from '@panel/activity';
import { ScheduleServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { runCancelledEvent, scheduleDeletedEvent, scheduleEvent } from '../../present/activity-events.js';
import { handleCancelRun } from './cancel-run.js';
import { handleCreateSchedule } from './create-schedule.js';
import { handleDeleteSchedule } from './delete-schedule.js';
import { handleExecuteSchedule } from './execute-schedule.js';
import { handleGetSchedule } from './get-schedule.js';
import { handleListSchedules } from './list-schedules.js';
import { handleRotateScheduleWebhook } from './rotate-schedule-webhook.js';
import { handleTriggerSchedule } from './trigger-schedule.js';
import { handleUpdateSchedule } from './update-schedule.js';

export function serveSchedules(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(ScheduleServiceService, {
    cancelRun: withActivity(activity, handleCancelRun(context), runCancelledEvent),
    createSchedule: withActivity(activity, handleCreateSchedule(context), scheduleEvent('server:schedule.create')),
    deleteSchedule: withActivity(activity, handleDeleteSchedule(context), scheduleDeletedEvent),
    executeSchedule: withActivity(activity, handleExecuteSchedule(context), scheduleEvent('server:schedule.execute')),
    getSchedule: handleGetSchedule(context),
    listSchedules: handleListSchedules(context),
    rotateScheduleWebhook: withActivity(
      activity,
      handleRotateScheduleWebhook(context),
      scheduleEvent('server:schedule.webhook-rotate'),
    ),
    triggerSchedule: handleTriggerSchedule(context),
    updateSchedule: withActivity(activity, handleUpdateSchedule(context), scheduleEvent('server:schedule.update')),
  });
}
