import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuser } from '../../present/subuser.js';
import { updateSubuser } from '../../usecases/subusers/update-subuser.js';
import { readSubuserUpdate } from './read-request.js';

export function handleUpdateSubuser(context: ServersContext): Handler<SubuserServiceService['updateSubuser']> {
  return async (request, call) => ({
    subuser: presentSubuser(await updateSubuser(context, request, readSubuserUpdate(request), call)),
  });
}
