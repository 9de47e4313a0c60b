import { DatabaseServiceService } from '@panel/protos/servers';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import { empty, json, list, noBody, one, route, type Route, server } from '../../declaration/route.js';
import { createDatabaseBody, database, engine, presentNewDatabase } from './resource.js';

const databases = '/api/v1/servers/{id}/databases';

export const databaseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: databases,
    summary: 'Databases of the server',
    access: server(DatabaseServiceService.listDatabases),
    rate: 'general',
    query: listQuery('created_at', 'name', 'size_bytes'),
    response: list(database.schema),
    handler: async ({ params, query, services, rpc }) => {
      const found = await services.databases.listDatabases({ serverId: params.id }, rpc);
      return selectPage(found.databases.map(database.present), query, ({ name }) => name);
    },
  }),
  route({
    method: 'POST',
    path: databases,
    summary: 'Create a database; the only answer with its password',
    access: server(DatabaseServiceService.createDatabase),
    rate: 'general',
    body: json(createDatabaseBody),
    response: one(database.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { name, remote } = body;
      const request = { serverId: params.id, name, remote, engine: engine.read(body.engine) };
      const created = await services.databases.createDatabase(request, rpc);
      return presentNewDatabase(created.database, created.password);
    },
  }),
  route({
    method: 'DELETE',
    path: `${databases}/{db-id}`,
    summary: 'Drop a database',
    access: server(DatabaseServiceService.deleteDatabase),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.databases.deleteDatabase({ serverId: params.id, databaseId: params.db_id }, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${databases}/{db-id}/rotate-password`,
    summary: 'Give a database a new password; also needs database.view_password',
    access: server(DatabaseServiceService.rotateDatabasePassword, 'database.view_password'),
    rate: 'general',
    body: json(noBody),
    response: one(database.schema),
    handler: async ({ params, services, rpc }) => {
      const request = { serverId: params.id, databaseId: params.db_id };
      const rotated = await services.databases.rotateDatabasePassword(request, rpc);
      return presentNewDatabase(rotated.database, rotated.password);
    },
  }),
];
