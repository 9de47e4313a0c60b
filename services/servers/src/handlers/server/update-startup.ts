import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showServer } from './show-server.js';
import { updateStartup as update } from '../../usecases/servers/update-startup.js';

export function updateStartup(context: ServersContext): Handler<ServerServiceService['updateStartup']> {
  return async ({ serverId, environment, dockerImage, startupCommand }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const isImageOnly =
      dockerImage !== undefined && startupCommand === undefined && Object.keys(environment).length === 0;
    if (!isImageOnly) requireAccess(server, call, 'startup.update');
    if (dockerImage !== undefined) requireAccess(server, call, 'startup.docker-image');
    const updated = await update(context.stores, server, { environment, dockerImage, startupCommand });
    return { server: await showServer(context, updated, call.actor, false) };
  };
}
