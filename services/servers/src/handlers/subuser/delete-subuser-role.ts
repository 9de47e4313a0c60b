import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteSubuserRole } from '../../usecases/subusers/subuser-roles.js';

export function handleDeleteSubuserRole(context: ServersContext): Handler<SubuserServiceService['deleteSubuserRole']> {
  return async (request, call) => {
    await deleteSubuserRole(context, request, call);
    return {};
  };
}
