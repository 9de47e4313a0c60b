import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteNode } from '../../usecases/nodes/delete-node.js';

export function handleDeleteNode(context: ServersContext): Handler<NodeServiceService['deleteNode']> {
  return async ({ nodeId }) => {
    await deleteNode(context, nodeId);
    return {};
  };
}
