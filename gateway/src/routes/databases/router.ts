import { notImplemented, type Route, server } from '../../declaration/route.js';

const databases = '/api/v1/servers/{id}/databases';

export const databaseRoutes: readonly Route[] = [
  notImplemented('GET', databases, 'Databases of the server', server('database.read')),
  notImplemented('POST', databases, 'Create a database', server('database.create')),
  notImplemented('DELETE', `${databases}/{db-id}`, 'Drop a database', server('database.delete')),
  notImplemented(
    'POST',
    `${databases}/{db-id}/rotate-password`,
    'Give a database a new password',
    server('database.update'),
  ),
];
