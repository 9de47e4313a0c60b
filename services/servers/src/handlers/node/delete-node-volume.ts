import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteNodeVolume } from '../../usecases/nodes/node-report.js';

export function handleDeleteNodeVolume(context: ServersContext): Handler<NodeServiceService['deleteNodeVolume']> {
  return async ({ nodeId, serverId }) => {
    await deleteNodeVolume(context, nodeId, serverId);
    return {};
  };
}
