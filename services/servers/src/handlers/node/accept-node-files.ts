import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { acceptNodeFiles } from '../../usecases/nodes/node-report.js';

export function handleAcceptNodeFiles(context: ServersContext): Handler<NodeServiceService['acceptNodeFiles']> {
  return async ({ nodeId }) => {
    await acceptNodeFiles(context, nodeId);
    return {};
  };
}
