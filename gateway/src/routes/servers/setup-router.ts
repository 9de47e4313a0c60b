import { grants } from '@panel/rpc';
import { presentActivity } from '../activity/present.js';
import { activityEvent } from '../activity/schema.js';
import { required } from '../../http/present.js';
import { serverWithAccess } from '../../middleware/authorise.js';
import { listQuery, pageOf, pageRequest, shortListQuery, wholeListQuery } from '../list-query.js';
import { noBody } from '../no-body.js';
import { empty, json, list, one, route, type Route, server as access } from '../route.js';
import { presentClientAllocation, presentInstallLine, presentServer, presentStartup } from './present.js';
import {
  clientAllocation,
  installLogLine,
  server,
  startup,
  updateAllocationBody,
  updateStartupBody,
} from './schema.js';

const path = '/api/v1/servers/{id}';

const startupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/startup`,
    summary: 'How the server is started: command, image, variables',
    access: access('startup.read'),
    rate: 'general',
    answer: one(startup),
    work: async ({ params, services, rpc }) =>
      presentStartup(await serverWithAccess(services, params.id, ['startup.read'], rpc)),
  }),
  route({
    method: 'PUT',
    path: `${path}/startup`,
    summary: 'Change variables, or the image or command to another of the egg; they hold from the next start',
    access: access('startup.update', 'startup.docker-image'),
    rate: 'general',
    body: json(updateStartupBody),
    answer: one(startup),
    work: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        environment: body.environment,
        dockerImage: body.docker_image,
        startupCommand: body.startup_command,
      };
      return presentStartup((await services.servers.updateStartup(request, rpc)).server);
    },
  }),
  route({
    method: 'POST',
    path: `${path}/reinstall`,
    summary: 'Run the install script again over the files',
    access: access('settings.reinstall'),
    rate: 'general',
    body: json(noBody),
    answer: one(server),
    work: async ({ params, services, rpc }) =>
      presentServer((await services.servers.reinstallServer({ serverId: params.id }, rpc)).server),
  }),
  route({
    method: 'GET',
    path: `${path}/install-log`,
    summary: 'What the last installation printed; its last 1000 lines',
    access: access('settings.reinstall'),
    rate: 'general',
    query: wholeListQuery,
    answer: list(installLogLine),
    work: async ({ params, query, services, rpc }) => {
      const { lines } = await services.servers.getInstallLog({ serverId: params.id }, rpc);
      return pageOf(lines.map(presentInstallLine), query);
    },
  }),
];

const allocationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/allocations`,
    summary: 'Addresses of the server',
    access: access('allocation.read'),
    rate: 'general',
    query: shortListQuery,
    answer: list(clientAllocation),
    work: async ({ params, query, services, rpc }) => {
      const found = await serverWithAccess(services, params.id, ['allocation.read'], rpc);
      const primaryId = found.allocation?.id ?? '';
      return pageOf(
        found.allocations.map((allocation) => presentClientAllocation(allocation, primaryId)),
        query,
      );
    },
  }),
  route({
    method: 'POST',
    path: `${path}/allocations`,
    summary: 'Take another free address of the node',
    access: access('allocation.create'),
    rate: 'general',
    body: json(noBody),
    answer: one(clientAllocation),
    status: 201,
    work: async ({ params, services, rpc }) => {
      const { allocation } = await services.servers.addServerAllocation({ serverId: params.id }, rpc);
      return presentClientAllocation(required(allocation, 'allocation'), '');
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/allocations/{allocation-id}`,
    summary: 'Change the notes of an address, or make it the primary one',
    access: access('allocation.update'),
    rate: 'general',
    body: json(updateAllocationBody),
    answer: one(clientAllocation),
    work: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        allocationId: params.allocation_id,
        notes: body.notes === null ? '' : body.notes,
        primary: body.is_primary ?? false,
      };
      const { allocation } = await services.servers.updateServerAllocation(request, rpc);
      const { allocation: primary } = await serverWithAccess(services, params.id, [], rpc);
      return presentClientAllocation(required(allocation, 'allocation'), primary?.id ?? '');
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/allocations/{allocation-id}`,
    summary: 'Give an address back; not the primary one',
    access: access('allocation.delete'),
    rate: 'general',
    answer: empty,
    work: async ({ params, services, rpc }) => {
      const request = { serverId: params.id, allocationId: params.allocation_id };
      await services.servers.removeServerAllocation(request, rpc);
    },
  }),
];

const activityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/activity`,
    summary: 'What was done with the server, newest first',
    access: access('activity.read'),
    rate: 'general',
    query: listQuery('created_at'),
    answer: list(activityEvent),
    work: async ({ params, query, caller, services, rpc, asGateway }) => {
      await serverWithAccess(services, params.id, ['activity.read'], rpc);
      // The admin service does not know who may look at which server; that has just been asked.
      const request = { page: pageRequest(query), userId: '', serverId: params.id };
      const { events, page } = await services.activity.listActivity(request, asGateway);
      const mayKnowAll = grants(caller?.identity.permissions ?? [], 'settings.view');
      const isShown = (actorId: string) => mayKnowAll || actorId === caller?.identity.userId;
      return { items: events.map((event) => presentActivity(event, isShown(event.actorId))), page };
    },
  }),
];

export const serverSetupRoutes: readonly Route[] = [...startupRoutes, ...allocationRoutes, ...activityRoutes];
