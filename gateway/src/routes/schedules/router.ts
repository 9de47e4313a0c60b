import { notImplemented, type Route, reservedFor } from '../../declaration/route.js';

const schedules = '/api/v1/servers/{id}/schedules';
const schedule = `${schedules}/{schedule-id}`;

export const scheduleRoutes: readonly Route[] = [
  notImplemented('GET', schedules, 'Schedules of the server', reservedFor('schedule.read')),
  notImplemented('POST', schedules, 'Create a schedule', reservedFor('schedule.create')),
  notImplemented('PUT', schedule, 'Change a schedule', reservedFor('schedule.update')),
  notImplemented('DELETE', schedule, 'Delete a schedule', reservedFor('schedule.delete')),
  notImplemented('POST', `${schedule}/execute`, 'Run a schedule now', reservedFor('schedule.update')),
];
