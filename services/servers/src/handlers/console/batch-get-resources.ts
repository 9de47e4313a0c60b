import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentResources } from '../../present/console-event.js';
import { batchGetResources } from '../../usecases/console/get-resources.js';
import { readIds } from '../read-request.js';

export function handleBatchGetResources(context: ServersContext): Handler<ConsoleServiceService['batchGetResources']> {
  return async ({ serverIds }, call) => {
    const found = await batchGetResources(context, readIds('server_ids', serverIds), call);
    const entries = [...found].map(([serverId, resources]) => [serverId, presentResources(resources)] as const);
    return { resourcesByServerId: Object.fromEntries(entries) };
  };
}
