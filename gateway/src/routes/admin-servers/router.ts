import { ListServersRequest, ListServersRequest_Scope, ServerServiceService } from '@panel/protos/servers';
import { pageRequest } from '../../declaration/list-query.js';
import { noBody } from '../../declaration/body.js';
import { JsonList } from '../../http/json-reply.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { withSentNames } from '../../declaration/sent-names.js';
import { statusOf } from '../servers/resource.js';
import { ServerPages } from '../servers/server-pages.js';
import { ServerTexts } from '../servers/server-texts.js';
import { accepted } from '../../http/accepted.js';
import {
  adminServer,
  createServerBody,
  createServerRequest,
  deleteServerQuery,
  serverListQuery,
  transferServerBody,
  transferServerRequest,
  updatedServer,
  updateServerBody,
  updateServerNames,
  updateServerRequest,
} from './resource.js';

const servers = '/api/v1/admin/servers';
const pages = new ServerPages(new ServerTexts(adminServer.present));

export const adminServerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: servers,
    summary: 'All servers',
    access: admin(ServerServiceService.listServers),
    rate: 'general',
    query: serverListQuery,
    response: list(adminServer.schema),
    handler: async ({ query, services, caller, rpc }) => {
      const request = ListServersRequest.create({
        page: pageRequest(query),
        scope: ListServersRequest_Scope.ALL,
        status: statusOf(query.status),
        userId: query.user_id ?? '',
        nodeId: query.node_id ?? '',
        eggId: query.egg_id ?? '',
        externalId: query.external_id ?? '',
        sharesVariables: true,
      });
      const { texts, page } = await pages.read(services, request, caller?.identity.userId ?? '', rpc);
      return new JsonList(
        texts.map(({ json }) => json),
        page,
      );
    },
  }),
  route({
    method: 'POST',
    path: servers,
    summary: 'Create a server and begin its installation',
    access: admin(ServerServiceService.createServer),
    rate: 'general',
    body: json(createServerBody),
    response: one(adminServer.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      adminServer.present((await services.servers.createServer(createServerRequest(body), rpc)).server),
  }),
  route({
    method: 'GET',
    path: `${servers}/{id}`,
    summary: 'One server, with every field',
    access: admin(ServerServiceService.getServer),
    rate: 'general',
    carriesSecrets: true,
    response: one(adminServer.schema),
    handler: async ({ params, services, rpc }) =>
      adminServer.present((await services.servers.getServer({ serverId: params.id, asStaff: true }, rpc)).server),
  }),
  route({
    method: 'PUT',
    path: `${servers}/{id}`,
    summary: 'Change a server; only the fields given',
    access: admin(ServerServiceService.updateServer),
    rate: 'general',
    body: json(updateServerBody),
    response: one(updatedServer),
    handler: async ({ params, body, services, rpc }) => {
      const request = updateServerRequest(params.id, body);
      const answer = await withSentNames(updateServerNames(body), services.servers.updateServer(request, rpc));
      return { ...adminServer.present(answer.server), restart_needed: answer.restartNeeded };
    },
  }),
  route({
    method: 'DELETE',
    path: `${servers}/{id}`,
    summary: 'Delete a server with its files; 202 while its node does not answer, `?force=true` when it is gone',
    access: admin(ServerServiceService.deleteServer),
    rate: 'general',
    query: deleteServerQuery,
    response: empty,
    waiting: adminServer.schema,
    handler: async ({ params, query, services, rpc }) => {
      const { force = false, keep_backups: keepBackups } = query;
      const { server } = await services.servers.deleteServer({ serverId: params.id, force, keepBackups }, rpc);
      return server && accepted(adminServer.present(server));
    },
  }),
  route({
    method: 'DELETE',
    path: `${servers}/{id}/deletion`,
    summary: 'Take a deletion back that waits for its node: the server stays, stopped',
    access: admin(ServerServiceService.cancelDeletion),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.servers.cancelDeletion({ serverId: params.id }, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${servers}/{id}/suspend`,
    summary: 'Suspend: the game is stopped, and no user can use the server',
    access: admin(ServerServiceService.suspendServer),
    rate: 'general',
    body: json(noBody),
    response: one(adminServer.schema),
    handler: async ({ params, services, rpc }) =>
      adminServer.present((await services.servers.suspendServer({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'POST',
    path: `${servers}/{id}/unsuspend`,
    summary: 'Lift a suspension; nothing is started',
    access: admin(ServerServiceService.unsuspendServer),
    rate: 'general',
    body: json(noBody),
    response: one(adminServer.schema),
    handler: async ({ params, services, rpc }) =>
      adminServer.present((await services.servers.unsuspendServer({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'POST',
    path: `${servers}/{id}/reinstall`,
    summary: 'Run the install script again over the files',
    access: admin(ServerServiceService.reinstallServer),
    rate: 'general',
    body: json(noBody),
    response: one(adminServer.schema),
    handler: async ({ params, services, rpc }) =>
      adminServer.present((await services.servers.reinstallServer({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'POST',
    path: `${servers}/{id}/transfer`,
    summary: 'Begin to move to another node with its files, or those of a backup when its node is gone',
    access: admin(ServerServiceService.transferServer),
    rate: 'general',
    body: json(transferServerBody),
    response: one(adminServer.schema),
    handler: async ({ params, body, services, rpc }) =>
      adminServer.present((await services.servers.transferServer(transferServerRequest(params.id, body), rpc)).server),
  }),
  route({
    method: 'DELETE',
    path: `${servers}/{id}/transfer`,
    summary: 'Cancel a transfer that has not moved the server yet: it stays where it is',
    access: admin(ServerServiceService.cancelTransfer),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.servers.cancelTransfer({ serverId: params.id }, rpc);
    },
  }),
];
