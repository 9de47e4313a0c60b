import { parsePage } from '@panel/kit/mongo';
import { Node, type NodeServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { listNodes } from '../../usecases/nodes/get-node.js';
import { pageInfo } from '../read-request.js';

export function handleListNodes(context: ServersContext): Handler<NodeServiceService['listNodes']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { nodes, total } = await listNodes(context, page);
    return { nodes: presentEach(call, nodes, presentNode, Node), page: pageInfo(page, total) };
  };
}
