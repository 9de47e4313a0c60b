import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuser } from '../../present/subuser.js';
import { createSubuser } from '../../usecases/subusers/create-subuser.js';
import { readNewSubuser } from './read-request.js';

export function handleCreateSubuser(context: ServersContext): Handler<SubuserServiceService['createSubuser']> {
  return async (request, call) => ({
    subuser: presentSubuser(await createSubuser(context, request.serverId, readNewSubuser(request), call)),
  });
}
