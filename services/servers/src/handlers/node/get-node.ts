import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { getNode } from '../../usecases/nodes/get-node.js';

export function handleGetNode(context: ServersContext): Handler<NodeServiceService['getNode']> {
  return async ({ nodeId }) => ({ node: presentNode(await getNode(context, nodeId)) });
}
