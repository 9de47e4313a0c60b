import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { updateNode } from '../../usecases/nodes/update-node.js';
import { readNodeUpdate } from './read-request.js';

export function handleUpdateNode(context: ServersContext): Handler<NodeServiceService['updateNode']> {
  return async (request) => {
    return { node: presentNode(await updateNode(context, request.nodeId, readNodeUpdate(request))) };
  };
}
