import { Subuser, type SubuserServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuser } from '../../present/subuser.js';
import { listSubusers } from '../../usecases/subusers/list-subusers.js';

export function handleListSubusers(context: ServersContext): Handler<SubuserServiceService['listSubusers']> {
  return async ({ serverId }, call) => {
    const subusers = await listSubusers(context, serverId, call);
    return { subusers: presentEach(call, subusers, presentSubuser, Subuser) };
  };
}
