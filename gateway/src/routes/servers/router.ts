import {
  type BatchGetResourcesResponse,
  ConsoleServiceService,
  ListServersRequest,
  ListServersRequest_Scope,
  ServerServiceService,
} from '@panel/protos/servers';
import { pageRequest } from '../../declaration/list-query.js';
import { account, json, list, one, route, type Route, server as access } from '../../declaration/route.js';
import { powerActionOf, presentResources, presentServer, statusOf } from './present.js';
import {
  clientServerListQuery,
  commandResponse,
  commandBody,
  listedServer,
  powerResponse,
  powerBody,
  renameServerBody,
  resources,
  server,
} from './schema.js';

export const serverRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/servers',
    summary: 'Your servers',
    access: account(ServerServiceService.listServers),
    rate: 'general',
    query: clientServerListQuery,
    response: list(listedServer),
    handler: async ({ query, services, rpc }) => {
      const request = ListServersRequest.create({
        page: pageRequest(query),
        scope: ListServersRequest_Scope.OWN,
        status: statusOf(query.status),
      });
      const { servers, page } = await services.servers.listServers(request, rpc);
      const items = servers.map(presentServer);
      if (query.include === undefined) return { items, page };
      const usage = await services.console.batchGetResources({ serverIds: items.map(({ id }) => id) }, rpc);
      return { items: items.map((item) => ({ ...item, resources: usageOf(usage, item.id) })), page };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}',
    summary: 'One server',
    access: access(ServerServiceService.getServer),
    rate: 'general',
    response: one(server),
    handler: async ({ params, services, rpc }) =>
      presentServer((await services.servers.getServer({ serverId: params.id, asStaff: false }, rpc)).server),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/servers/{id}',
    summary: 'Change name and description',
    access: access(ServerServiceService.renameServer),
    rate: 'general',
    body: json(renameServerBody),
    response: one(server),
    handler: async ({ params, body, services, rpc }) =>
      presentServer((await services.servers.renameServer({ serverId: params.id, ...body }, rpc)).server),
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/resources',
    summary: 'Usage at this moment',
    access: access(ConsoleServiceService.getResources),
    rate: 'general',
    response: one(resources),
    handler: async ({ params, services, rpc }) =>
      presentResources((await services.console.getResources({ serverId: params.id }, rpc)).resources),
  }),
  route({
    method: 'POST',
    path: '/api/v1/servers/{id}/power',
    summary: 'Start, stop, restart or kill; the outcome shows in the status',
    access: access(ConsoleServiceService.sendPowerAction),
    rate: 'general',
    body: json(powerBody),
    response: one(powerResponse),
    handler: async ({ params, body, services, rpc }) => {
      const request = { serverId: params.id, action: powerActionOf(body.action) };
      const { operationId } = await services.console.sendPowerAction(request, rpc);
      return { action: body.action, accepted: true as const, operation_id: operationId };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/servers/{id}/command',
    summary: "Write one line to the game's console",
    access: access(ConsoleServiceService.sendCommand),
    rate: 'console',
    body: json(commandBody),
    response: one(commandResponse),
    handler: async ({ params, body, services, rpc }) => {
      await services.console.sendCommand({ serverId: params.id, command: body.command }, rpc);
      return { accepted: true as const };
    },
  }),
];

function usageOf({ resourcesByServerId }: BatchGetResourcesResponse, serverId: string) {
  const usage = resourcesByServerId[serverId];
  return usage ? presentResources(usage) : null;
}
