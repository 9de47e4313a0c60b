import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { updateStartup } from '../../usecases/servers/update-startup.js';

export function handleUpdateStartup(context: ServersContext): Handler<ServerServiceService['updateStartup']> {
  return async ({ serverId, environment, dockerImage, startupCommand }, call) => {
    const update = { environment, dockerImage, startupCommand };
    return { server: presentServer(await updateStartup(context, serverId, update, call)) };
  };
}
