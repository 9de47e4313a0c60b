import { DatabaseHostServiceService } from '@panel/protos/servers';
import { pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import {
  createHostRequest,
  databaseHost,
  databaseHostReport,
  databaseHostsQuery,
  deleteHostQuery,
  reportQuery,
  updateHostRequest,
} from './resource.js';

const hosts = '/api/v1/admin/database-hosts';

export const adminDatabaseHostRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: hosts,
    summary: 'All database hosts',
    access: admin(DatabaseHostServiceService.listDatabaseHosts),
    rate: 'general',
    query: databaseHostsQuery,
    response: list(databaseHost.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), nodeId: query.node_id ?? '' };
      const answer = await services.databaseHosts.listDatabaseHosts(request, rpc);
      return { items: answer.hosts.map(databaseHost.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: hosts,
    summary: 'Add a database host; its connection and rights are tested first',
    access: admin(DatabaseHostServiceService.createDatabaseHost),
    rate: 'general',
    body: json(databaseHost.createBody),
    response: one(databaseHost.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      databaseHost.present((await services.databaseHosts.createDatabaseHost(createHostRequest(body), rpc)).host),
  }),
  route({
    method: 'GET',
    path: `${hosts}/{id}`,
    summary: 'One database host',
    access: admin(DatabaseHostServiceService.getDatabaseHost),
    rate: 'general',
    response: one(databaseHost.schema),
    handler: async ({ params, services, rpc }) =>
      databaseHost.present((await services.databaseHosts.getDatabaseHost({ hostId: params.id }, rpc)).host),
  }),
  route({
    method: 'PUT',
    path: `${hosts}/{id}`,
    summary: 'Change a database host; only the fields given',
    access: admin(DatabaseHostServiceService.updateDatabaseHost),
    rate: 'general',
    body: json(databaseHost.updateBody),
    response: one(databaseHost.schema),
    handler: async ({ params, body, services, rpc }) =>
      databaseHost.present(
        (await services.databaseHosts.updateDatabaseHost(updateHostRequest(params.id, body), rpc)).host,
      ),
  }),
  route({
    method: 'DELETE',
    path: `${hosts}/{id}`,
    summary: 'Remove a database host that has no databases; `?force=true` for one that is lost, with its databases',
    access: admin(DatabaseHostServiceService.deleteDatabaseHost),
    rate: 'general',
    query: deleteHostQuery,
    response: empty,
    handler: async ({ params, query, services, rpc }) => {
      await services.databaseHosts.deleteDatabaseHost({ hostId: params.id, force: query.force ?? false }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: `${hosts}/{id}/report`,
    summary: 'Where the host differs from the records: orphans and missing databases',
    access: admin(DatabaseHostServiceService.getDatabaseHostReport),
    rate: 'general',
    query: reportQuery,
    response: one(databaseHostReport.schema),
    handler: async ({ params, query, services, rpc }) => {
      const request = { hostId: params.id, fresh: query.fresh === 'true' };
      return databaseHostReport.present(await services.databaseHosts.getDatabaseHostReport(request, rpc));
    },
  }),
];
