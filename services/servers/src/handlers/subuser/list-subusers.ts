import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showSubusers } from './show-subuser.js';

/** Subusers of a server, and who is invited to it. */
export function listSubusers(context: ServersContext): Handler<SubuserServiceService['listSubusers']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    return { subusers: await showSubusers(context, server, server.subusers ?? []) };
  };
}
