import { type Handler } from '@panel/rpc';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { loadNode } from '../../usecases/nodes/load-node.js';

export function getNode({ stores, clock }: ServersContext): Handler<NodeServiceService['getNode']> {
  return async ({ nodeId }) => {
    return { node: presentNode(await loadNode(stores, nodeId), clock()) };
  };
}
