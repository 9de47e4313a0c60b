import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentResources } from '../../present/console-event.js';
import { getResources } from '../../usecases/console/get-resources.js';

export function handleGetResources(context: ServersContext): Handler<ConsoleServiceService['getResources']> {
  return async ({ serverId }, call) => ({
    resources: presentResources(await getResources(context, serverId, call)),
  });
}
