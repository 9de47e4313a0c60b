import { notImplemented, type Route, reservedFor } from '../../declaration/route.js';

const databases = '/api/v1/servers/{id}/databases';

export const databaseRoutes: readonly Route[] = [
  notImplemented('GET', databases, 'Databases of the server', reservedFor('database.read')),
  notImplemented('POST', databases, 'Create a database', reservedFor('database.create')),
  notImplemented('DELETE', `${databases}/{db-id}`, 'Drop a database', reservedFor('database.delete')),
  notImplemented(
    'POST',
    `${databases}/{db-id}/rotate-password`,
    'Give a database a new password',
    reservedFor('database.update'),
  ),
];
