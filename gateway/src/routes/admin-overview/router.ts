import { type CallOptions, grants } from '@panel/rpc';
import { PageRequest } from '@panel/protos/common';
import { ListUsersRequest } from '@panel/protos/identity';
import { ListServersRequest, ListServersRequest_Scope, type Node, ServerServiceService } from '@panel/protos/servers';
import type { z } from 'zod';
import type { Services } from '../../services.js';
import { node as nodeResource } from '../admin-nodes/resource.js';
import { admin, one, route, type Route } from '../../declaration/route.js';
import { statusOf } from '../servers/resource.js';
import { countedStatuses, overview } from './schema.js';

type Overview = z.input<typeof overview>;

const nodesPerPage = 100;

export const adminOverviewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/admin/overview',
    summary: 'How many servers and users there are, and how full the nodes are',
    access: admin(ServerServiceService.listServers),
    rate: 'general',
    response: one(overview),
    handler: async ({ services, rpc, caller }) => {
      const may = (permission: string) => grants(caller?.identity.permissions ?? [], permission);
      const [servers, users, nodes] = await Promise.all([
        countServers(services, rpc),
        may('users.view') ? countUsers(services, rpc) : null,
        may('nodes.view') ? nodeLoads(services, rpc) : null,
      ]);
      return { servers, users, nodes };
    },
  }),
];

const justCount = PageRequest.create({ page: 1, perPage: 1 });

async function countServers({ servers }: Services, rpc: CallOptions): Promise<Overview['servers']> {
  const count = async (status?: (typeof countedStatuses)[number]) => {
    const scope = ListServersRequest_Scope.ALL;
    const request = ListServersRequest.create({ page: justCount, scope, status: statusOf(status) });
    return (await servers.listServers(request, rpc)).page?.total ?? 0;
  };
  const [total, ...counts] = await Promise.all([count(), ...countedStatuses.map(count)]);
  const byStatus = Object.fromEntries(countedStatuses.map((status, index) => [status, counts[index] ?? 0]));
  return { total, by_status: byStatus as Overview['servers']['by_status'] };
}

async function countUsers({ users }: Services, rpc: CallOptions): Promise<Overview['users']> {
  const { page } = await users.listUsers(ListUsersRequest.create({ page: justCount }), rpc);
  return { total: page?.total ?? 0 };
}

async function nodeLoads({ nodes }: Services, rpc: CallOptions): Promise<Overview['nodes']> {
  const all: Node[] = [];
  for (let page = 1; ; page++) {
    const request = PageRequest.create({ page, perPage: nodesPerPage, sort: ['name'] });
    const answer = await nodes.listNodes({ page: request }, rpc);
    all.push(...answer.nodes);
    if (answer.nodes.length < nodesPerPage) break;
  }
  return all.map((node) => {
    const { id, name, status, maintenance_mode, allocated, memory, disk } = nodeResource.present(node);
    return {
      id,
      name,
      status,
      maintenance_mode,
      servers: allocated.servers,
      memory,
      memory_allocated: allocated.memory,
      disk,
      disk_allocated: allocated.disk,
    };
  });
}
