import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** For whoever may install, and for staff who may look. */
export function getInstallLog(context: ServersContext): Handler<ServerServiceService['getInstallLog']> {
  return async ({ serverId }, { actor }) => {
    const { server, access } = await loadServer(context, serverId, actor);
    if (!access.isStaff) requireAccess(server, actor, 'settings.reinstall');
    const log = await context.stores.consoles.log(serverId);
    return { lines: (log?.lines ?? []).map(({ text, step, at }) => ({ text, step, time: at })) };
  };
}
