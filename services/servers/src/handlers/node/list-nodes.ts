import { type Handler, presentEach } from '@panel/rpc';
import { parsePage } from '@panel/kit/mongo';
import { Node, type NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';

export function listNodes({ stores, clock }: ServersContext): Handler<NodeServiceService['listNodes']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { nodes, total } = await stores.nodes.list(page);
    return {
      nodes: presentEach(call, nodes, (node) => presentNode(node, clock()), Node),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
