import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteSubuser } from '../../usecases/subusers/update-subuser.js';

export function handleDeleteSubuser(context: ServersContext): Handler<SubuserServiceService['deleteSubuser']> {
  return async (request, call) => {
    const { invited, schedulesCount } = await deleteSubuser(context, request, call);
    return { invitedIds: invited.map(({ id }) => id), schedulesCount };
  };
}
