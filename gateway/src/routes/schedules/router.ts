import { notImplemented, type Route, server } from '../../declaration/route.js';

const schedules = '/api/v1/servers/{id}/schedules';
const schedule = `${schedules}/{schedule-id}`;

export const scheduleRoutes: readonly Route[] = [
  notImplemented('GET', schedules, 'Schedules of the server', server('schedule.read')),
  notImplemented('POST', schedules, 'Create a schedule', server('schedule.create')),
  notImplemented('PUT', schedule, 'Change a schedule', server('schedule.update')),
  notImplemented('DELETE', schedule, 'Delete a schedule', server('schedule.delete')),
  notImplemented('POST', `${schedule}/execute`, 'Run a schedule now', server('schedule.update')),
];
