import { type Handler, presentEach } from '@panel/rpc';
import { Subuser, type SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { presentSubuser } from '../../present/subuser.js';
import { knownUsers } from './show-subuser.js';

/** Subusers of a server, and who is invited to it. */
export function listSubusers(context: ServersContext): Handler<SubuserServiceService['listSubusers']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const subusers = server.subusers ?? [];
    const known = await knownUsers(context, subusers);
    return {
      subusers: presentEach(call, subusers, (one) => presentSubuser(server, one, known.get(one.userId ?? '')), Subuser),
    };
  };
}
