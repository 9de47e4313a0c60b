import { hostPort } from '@panel/kit/net';
import { ServerServiceService } from '@panel/protos/servers';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import { empty, json, list, noBody, one, route, type Route, server as access } from '../../declaration/route.js';
import { clientAllocation, presentClientAllocation, updateAllocationBody } from './resource.js';

const path = '/api/v1/servers/{id}';

export const allocationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/allocations`,
    summary: 'Addresses of the server',
    access: access(ServerServiceService.listServerAllocations),
    rate: 'general',
    query: listQuery('ip', 'port', 'alias', 'notes'),
    response: list(clientAllocation),
    handler: async ({ params, query, services, rpc }) => {
      const { allocations, primaryId } = await services.servers.listServerAllocations({ serverId: params.id }, rpc);
      const presented = allocations
        .map((allocation) => presentClientAllocation(allocation, primaryId))
        .sort((a, b) => a.ip.localeCompare(b.ip, 'en', { numeric: true }) || a.port - b.port);
      return selectPage(
        presented,
        query,
        ({ ip, port, alias, notes }) => `${hostPort(ip, port)} ${alias ?? ''} ${notes ?? ''}`,
      );
    },
  }),
  route({
    method: 'POST',
    path: `${path}/allocations`,
    summary: 'Take another free address of the node',
    access: access(ServerServiceService.addServerAllocation),
    rate: 'general',
    body: json(noBody),
    response: one(clientAllocation),
    status: 201,
    handler: async ({ params, services, rpc }) => {
      const { allocation } = await services.servers.addServerAllocation({ serverId: params.id }, rpc);
      return presentClientAllocation(allocation, '');
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/allocations/{allocation-id}`,
    summary: 'Change the notes of an address, or make it the primary one',
    access: access(ServerServiceService.updateServerAllocation),
    rate: 'general',
    body: json(updateAllocationBody),
    response: one(clientAllocation),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serverId: params.id,
        allocationId: params.allocation_id,
        notes: body.notes === null ? '' : body.notes,
        primary: body.is_primary ?? false,
      };
      const { allocation } = await services.servers.updateServerAllocation(request, rpc);
      const { server } = await services.servers.getServer({ serverId: params.id, asStaff: false }, rpc);
      return presentClientAllocation(allocation, server?.allocation?.id ?? '');
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/allocations/{allocation-id}`,
    summary: 'Give an address back; not the primary one',
    access: access(ServerServiceService.removeServerAllocation),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      const request = { serverId: params.id, allocationId: params.allocation_id };
      await services.servers.removeServerAllocation(request, rpc);
    },
  }),
];
