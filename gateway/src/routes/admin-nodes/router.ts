import {
  AllocationServiceService,
  CreateNodeRequest,
  NodeServiceService,
  UpdateNodeRequest,
} from '@panel/protos/servers';
import { firstPage, listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, noBody, one, route, type Route } from '../../declaration/route.js';
import { metrics, metricsQuery, metricsRange, presentMetrics } from '../servers/metrics-schema.js';
import { allocation, createAllocationsBody, node, nodeReport } from './resource.js';

const nodes = '/api/v1/admin/nodes';

export const adminNodeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: nodes,
    summary: 'All nodes',
    access: admin(NodeServiceService.listNodes),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(node.schema),
    handler: async ({ query, services, rpc }) => {
      const answer = await services.nodes.listNodes({ page: pageRequest(query) }, rpc);
      return { items: answer.nodes.map(node.present), page: answer.page };
    },
  }),
  route({
    method: 'POST',
    path: nodes,
    summary: 'Create a node',
    access: admin(NodeServiceService.createNode),
    rate: 'general',
    body: json(node.createBody),
    response: one(node.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      node.present((await services.nodes.createNode(node.read(CreateNodeRequest, body), rpc)).node),
  }),
  route({
    method: 'GET',
    path: `${nodes}/{id}`,
    summary: 'One node',
    access: admin(NodeServiceService.getNode),
    rate: 'general',
    response: one(node.schema),
    handler: async ({ params, services, rpc }) =>
      node.present((await services.nodes.getNode({ nodeId: params.id }, rpc)).node),
  }),
  route({
    method: 'GET',
    path: `${nodes}/{id}/metrics`,
    summary: 'Usage over time of what runs on a node: CPU, memory, disk and network',
    access: admin(NodeServiceService.getNodeMetrics),
    rate: 'general',
    query: metricsQuery,
    response: one(metrics),
    handler: async ({ params, query, services, rpc }) =>
      presentMetrics(await services.nodes.getNodeMetrics({ nodeId: params.id, ...metricsRange(query) }, rpc)),
  }),
  route({
    method: 'GET',
    path: `${nodes}/{id}/report`,
    summary: 'Where the node differs from the records: orphaned and missing files, unknown instances',
    access: admin(NodeServiceService.getNodeReport),
    rate: 'general',
    response: one(nodeReport.schema),
    handler: async ({ params, services, rpc }) =>
      nodeReport.present(await services.nodes.getNodeReport({ nodeId: params.id }, rpc)),
  }),
  route({
    method: 'POST',
    path: `${nodes}/{id}/report/accept`,
    summary: 'Accept the files of a node as they are, after the database was restored from an older dump',
    access: admin(NodeServiceService.acceptNodeFiles),
    rate: 'general',
    body: json(noBody),
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.nodes.acceptNodeFiles({ nodeId: params.id }, rpc);
    },
  }),
  route({
    method: 'DELETE',
    path: `${nodes}/{id}/volumes/{server-id}`,
    summary: 'Remove the files of a server that is not on this node, for good',
    access: admin(NodeServiceService.deleteNodeVolume),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.nodes.deleteNodeVolume({ nodeId: params.id, serverId: params.server_id }, rpc);
    },
  }),
  route({
    method: 'PUT',
    path: `${nodes}/{id}`,
    summary: 'Change a node; only the fields given',
    access: admin(NodeServiceService.updateNode),
    rate: 'general',
    body: json(node.updateBody),
    response: one(node.schema),
    handler: async ({ params, body, services, rpc }) => {
      const others = {
        nodeId: params.id,
        tags: body.tags && { tags: body.tags },
        emulatedPlatforms: body.emulated_platforms && { platforms: body.emulated_platforms },
      };
      return node.present((await services.nodes.updateNode(node.read(UpdateNodeRequest, body, others), rpc)).node);
    },
  }),
  route({
    method: 'DELETE',
    path: `${nodes}/{id}`,
    summary: 'Delete a node that has no servers',
    access: admin(NodeServiceService.deleteNode),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.nodes.deleteNode({ nodeId: params.id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: `${nodes}/{id}/allocations`,
    summary: 'Allocations of a node',
    access: admin(AllocationServiceService.listAllocations),
    rate: 'general',
    query: listQuery('port', 'ip', 'created_at'),
    response: list(allocation.schema),
    handler: async ({ params, query, services, rpc }) => {
      const request = { nodeId: params.id, page: pageRequest(query) };
      const { allocations, page } = await services.allocations.listAllocations(request, rpc);
      return { items: allocations.map(allocation.present), page };
    },
  }),
  route({
    method: 'POST',
    path: `${nodes}/{id}/allocations`,
    summary: 'Create allocations, all of them or none',
    access: admin(AllocationServiceService.createAllocations),
    rate: 'general',
    body: json(createAllocationsBody),
    response: list(allocation.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = { nodeId: params.id, ...body };
      const { allocations } = await services.allocations.createAllocations(request, rpc);
      return firstPage(allocations.map(allocation.present));
    },
  }),
  route({
    method: 'DELETE',
    path: `${nodes}/{id}/allocations/{alloc-id}`,
    summary: 'Delete a free allocation',
    access: admin(AllocationServiceService.deleteAllocation),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.allocations.deleteAllocation({ nodeId: params.id, allocationId: params.alloc_id }, rpc);
    },
  }),
];
