import { planned, type Route, server } from '../route.js';

const databases = '/api/v1/servers/{id}/databases';

export const databaseRoutes: readonly Route[] = [
  planned('GET', databases, 'Databases of the server', server('database.read')),
  planned('POST', databases, 'Create a database', server('database.create')),
  planned('DELETE', `${databases}/{db-id}`, 'Drop a database', server('database.delete')),
  planned('POST', `${databases}/{db-id}/rotate-password`, 'Give a database a new password', server('database.update')),
];
