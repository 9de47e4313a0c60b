import { ListServersRequest_Scope } from '@panel/protos/servers';
import { pageRequest } from '../list-query.js';
import { admin, json, list, one, planned, route, type Route } from '../route.js';
import { statusOf } from '../servers/present.js';
import { serverListQuery } from '../servers/schema.js';
import { createServerRequest, presentAdminServer } from './present.js';
import { adminServer, createServerBody } from './schema.js';

const servers = '/api/v1/admin/servers';

export const adminServerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: servers,
    summary: 'All servers',
    access: admin('servers.view'),
    rate: 'general',
    query: serverListQuery,
    answer: list(adminServer),
    work: async ({ query, services, rpc }) => {
      const request = {
        page: pageRequest(query),
        scope: ListServersRequest_Scope.ALL,
        status: statusOf(query.status),
      };
      const answer = await services.servers.listServers(request, rpc);
      return { items: answer.servers.map(presentAdminServer), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: servers,
    summary: 'Create a server and begin its installation',
    access: admin('servers.create'),
    rate: 'general',
    body: json(createServerBody),
    answer: one(adminServer),
    status: 201,
    work: async ({ body, services, rpc }) =>
      presentAdminServer((await services.servers.createServer(createServerRequest(body), rpc)).server),
  }),
  route({
    method: 'GET',
    path: `${servers}/{id}`,
    summary: 'One server, with every field',
    access: admin('servers.view'),
    rate: 'general',
    answer: one(adminServer),
    work: async ({ params, services, rpc }) =>
      presentAdminServer((await services.servers.getServer({ serverId: params.id, asStaff: true }, rpc)).server),
  }),
  planned('PUT', `${servers}/{id}`, 'Change a server', admin('servers.update')),
  planned('DELETE', `${servers}/{id}`, 'Delete a server', admin('servers.delete')),
  planned('POST', `${servers}/{id}/suspend`, 'Suspend', admin('servers.suspend')),
  planned('POST', `${servers}/{id}/unsuspend`, 'Lift a suspension', admin('servers.suspend')),
  planned('POST', `${servers}/{id}/reinstall`, 'Run the install script again', admin('servers.reinstall')),
  planned('POST', `${servers}/{id}/transfer`, 'Move to another node', admin('servers.transfer')),
];
