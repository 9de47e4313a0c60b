import { ScheduleServiceService } from '@panel/protos/servers';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import {
  empty,
  json,
  list,
  noBody,
  one,
  publicAccess,
  route,
  type Route,
  server as access,
} from '../../declaration/route.js';
import { withSentNames } from '../../declaration/sent-names.js';
import {
  createScheduleBody,
  createScheduleRequest,
  hookPath,
  hookQuery,
  hookResponse,
  schedule,
  scheduleNames,
  updateScheduleBody,
  updateScheduleRequest,
} from './resource.js';

const collection = '/api/v1/servers/{id}/schedules';
const item = `${collection}/{schedule-id}` as const;

export const scheduleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: collection,
    summary: 'Schedules of the server',
    access: access(ScheduleServiceService.listSchedules),
    rate: 'general',
    query: listQuery('created_at', 'name', 'next_run_at', 'last_run_at'),
    response: list(schedule.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { schedules } = await services.schedules.listSchedules({ serverId: params.id }, rpc);
      return selectPage(schedules.map(schedule.present), query, ({ name }) => name);
    },
  }),
  route({
    method: 'GET',
    path: item,
    summary: 'One schedule with its last runs',
    access: access(ScheduleServiceService.getSchedule),
    rate: 'general',
    response: one(schedule.schema),
    handler: async ({ params, services, rpc }) =>
      schedule.present((await services.schedules.getSchedule(idsOf(params), rpc)).schedule),
  }),
  route({
    method: 'POST',
    path: collection,
    summary: 'Create a schedule',
    access: access(ScheduleServiceService.createSchedule),
    rate: 'general',
    body: json(createScheduleBody),
    response: one(schedule.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = createScheduleRequest(params.id, body);
      const created = await withSentNames(scheduleNames(body), services.schedules.createSchedule(request, rpc));
      return schedule.present(created.schedule);
    },
  }),
  route({
    method: 'PUT',
    path: item,
    summary: 'Change a schedule; tasks are replaced as a whole list',
    access: access(ScheduleServiceService.updateSchedule),
    rate: 'general',
    body: json(updateScheduleBody),
    response: one(schedule.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = updateScheduleRequest(idsOf(params), body);
      const updated = await withSentNames(scheduleNames(body), services.schedules.updateSchedule(request, rpc));
      return schedule.present(updated.schedule);
    },
  }),
  route({
    method: 'DELETE',
    path: item,
    summary: 'Delete a schedule',
    access: access(ScheduleServiceService.deleteSchedule),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.schedules.deleteSchedule(idsOf(params), rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${item}/execute`,
    summary: 'Run a schedule now',
    access: access(ScheduleServiceService.executeSchedule),
    rate: 'general',
    body: json(noBody),
    response: one(schedule.schema),
    handler: async ({ params, services, rpc }) =>
      schedule.present((await services.schedules.executeSchedule(idsOf(params), rpc)).schedule),
  }),
  route({
    method: 'POST',
    path: `${item}/cancel`,
    summary: 'End the run in progress, after its current task',
    access: access(ScheduleServiceService.cancelRun),
    rate: 'general',
    body: json(noBody),
    response: one(schedule.schema),
    handler: async ({ params, services, rpc }) =>
      schedule.present((await services.schedules.cancelRun(idsOf(params), rpc)).schedule),
  }),
  route({
    method: 'POST',
    path: `${item}/rotate-webhook`,
    summary: 'Replace the web address that runs a schedule',
    access: access(ScheduleServiceService.rotateScheduleWebhook),
    rate: 'general',
    body: json(noBody),
    response: one(schedule.schema),
    handler: async ({ params, services, rpc }) =>
      schedule.present((await services.schedules.rotateScheduleWebhook(idsOf(params), rpc)).schedule),
  }),
  route({
    method: 'POST',
    path: `${hookPath}/{schedule-id}`,
    summary: 'Run a schedule by its web address; the answer is the same for a wrong one',
    access: publicAccess,
    rate: 'general',
    query: hookQuery,
    response: one(hookResponse),
    // The body is not read.
    handler: async ({ params, query, services, asGateway }) => {
      const request = { scheduleId: params.schedule_id, signature: query.signature };
      await services.schedules.triggerSchedule(request, asGateway);
      return { accepted: true as const };
    },
  }),
];

function idsOf({ id, schedule_id }: { readonly id: string; readonly schedule_id: string }) {
  return { serverId: id, scheduleId: schedule_id };
}
