import { planned, type Route, server } from '../route.js';

const schedules = '/api/v1/servers/{id}/schedules';
const schedule = `${schedules}/{schedule-id}`;

export const scheduleRoutes: readonly Route[] = [
  planned('GET', schedules, 'Schedules of the server', server('schedule.read')),
  planned('POST', schedules, 'Create a schedule', server('schedule.create')),
  planned('PUT', schedule, 'Change a schedule', server('schedule.update')),
  planned('DELETE', schedule, 'Delete a schedule', server('schedule.delete')),
  planned('POST', `${schedule}/execute`, 'Run a schedule now', server('schedule.update')),
];
