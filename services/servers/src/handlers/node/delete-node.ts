import { type Handler } from '@panel/rpc';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { deleteNode as remove } from '../../usecases/nodes/delete-node.js';

export function deleteNode({ stores }: ServersContext): Handler<NodeServiceService['deleteNode']> {
  return async ({ nodeId }) => {
    await remove(stores, nodeId);
    return {};
  };
}
