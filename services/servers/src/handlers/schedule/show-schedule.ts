import type { Schedule } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { allows } from '../../domain/servers/access.js';
import { presentSchedule } from '../../present/schedule.js';
import type { LoadedSchedule } from '../../usecases/schedules/load-schedule.js';

/** A schedule as the caller may see it: its web address is for who may change it. */
export function showSchedule(
  { webhooks }: Pick<ServersContext, 'webhooks'>,
  { schedule, access }: Pick<LoadedSchedule, 'schedule' | 'access'>,
): Schedule {
  const hasAddress = schedule.trigger.kind === 'webhook' && allows(access, 'schedule.update');
  return presentSchedule(schedule, hasAddress ? webhooks.sign(schedule) : '');
}
