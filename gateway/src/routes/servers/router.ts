import {
  type BatchGetResourcesResponse,
  ConsoleServiceService,
  ListServersRequest,
  ListServersRequest_Scope,
  ServerServiceService,
} from '@panel/protos/servers';
import { pageRequest } from '../../declaration/list-query.js';
import { JsonList, JsonValue } from '../../http/json-reply.js';
import { account, json, list, one, route, type Route, server as access } from '../../declaration/route.js';
import {
  clientServerListQuery,
  commandResponse,
  commandBody,
  listedServer,
  powerAction,
  powerBody,
  powerOperation,
  powerResponse,
  resources,
  server,
  statusOf,
} from './resource.js';
import { anyOperation } from './operation-resource.js';
import { readOperation } from './read-operation.js';
import { sendCommand } from './send-command.js';
import { ServerPages } from './server-pages.js';
import { type ServerText, ServerTexts } from './server-texts.js';

const texts = new ServerTexts(server.present);
const pages = new ServerPages(texts);

export const serverRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/servers',
    summary: 'Your servers',
    access: account(ServerServiceService.listServers),
    rate: 'general',
    query: clientServerListQuery,
    response: list(listedServer),
    handler: async ({ query, services, caller, rpc }) => {
      const request = ListServersRequest.create({
        page: pageRequest(query),
        scope: ListServersRequest_Scope.OWN,
        status: statusOf(query.status),
        sharesVariables: true,
      });
      const { texts: found, page } = await pages.read(services, request, caller?.identity.userId ?? '', rpc);
      const plain = found.map((text) => text.json);
      if (query.include === undefined) return new JsonList(plain, page);
      const usage = await services.console.batchGetResources({ serverIds: found.map(({ id }) => id) }, rpc);
      const withUsage = found.map((text) => withResources(text, usage));
      return new JsonList(withUsage, page);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}',
    summary: 'One server',
    access: access(ServerServiceService.getServer),
    rate: 'general',
    response: one(server.schema),
    handler: async ({ params, services, rpc }) => {
      const request = { serverId: params.id, asStaff: false, asEncoded: true };
      return new JsonValue(texts.readOne(await services.servers.getServer(request, rpc)).json);
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/servers/{id}',
    summary: 'Change name and description',
    access: access(ServerServiceService.renameServer),
    rate: 'general',
    body: json(server.updateBody),
    response: one(server.schema),
    handler: async ({ params, body, services, rpc }) =>
      server.present((await services.servers.renameServer({ serverId: params.id, ...body }, rpc)).server),
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/resources',
    summary: 'Usage at this moment',
    access: access(ConsoleServiceService.getResources),
    rate: 'general',
    response: one(resources.schema),
    handler: async ({ params, services, rpc }) =>
      resources.present((await services.console.getResources({ serverId: params.id }, rpc)).resources),
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
      const request = { serverId: params.id, action: powerAction.read(body.action) };
      const { operationId } = await services.console.sendPowerAction(request, rpc);
      return { action: body.action, accepted: true as const, operation_id: operationId };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/power/{operation-id}',
    summary: 'What became of one of the last 20 power actions',
    access: access(ConsoleServiceService.getPowerOperation),
    rate: 'general',
    response: one(powerOperation.schema),
    handler: async ({ params, services, rpc }) => {
      const request = { serverId: params.id, operationId: params.operation_id };
      return powerOperation.present((await services.console.getPowerOperation(request, rpc)).operation);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/operations/{operation-id}',
    summary: 'What became of an operation: of the last 20 power actions, the last 20 others, archives and downloads',
    access: access(ServerServiceService.getOperation),
    rate: 'general',
    response: one(anyOperation),
    handler: async ({ params, services, rpc }) =>
      readOperation(services, { serverId: params.id, operationId: params.operation_id }, rpc),
  }),
  route({
    method: 'POST',
    path: '/api/v1/servers/{id}/command',
    summary: "Write one line to the game's console",
    access: access(ConsoleServiceService.sendCommand),
    rate: 'console',
    body: json(commandBody),
    response: one(commandResponse),
    handler: async ({ params, body, services, rpc, showQuota }) => {
      await sendCommand(services, { serverId: params.id, command: body.command }, rpc, showQuota);
      return { accepted: true as const };
    },
  }),
];

/** Appends to the JSON text. */
function withResources({ id, json: object }: ServerText, { resourcesByServerId }: BatchGetResourcesResponse): Buffer {
  const usage = resourcesByServerId[id];
  const field = JSON.stringify({ resources: usage ? resources.present(usage) : null });
  return Buffer.concat([object.subarray(0, -1), Buffer.from(`,${field.slice(1)}`)]);
}
