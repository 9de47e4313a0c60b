import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentNodeReport } from '../../present/node.js';
import { getNodeReport } from '../../usecases/nodes/node-report.js';

export function handleGetNodeReport(context: ServersContext): Handler<NodeServiceService['getNodeReport']> {
  return async ({ nodeId }) => presentNodeReport(await getNodeReport(context, nodeId));
}
