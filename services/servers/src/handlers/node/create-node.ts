import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { createNode } from '../../usecases/nodes/create-node.js';
import { readNewNode } from './read-request.js';

export function handleCreateNode(context: ServersContext): Handler<NodeServiceService['createNode']> {
  return async (request, { idempotencyId }) => {
    return { node: presentNode(await createNode(context, readNewNode(request), idempotencyId)) };
  };
}
