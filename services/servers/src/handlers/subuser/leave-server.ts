import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { leaveServer } from '../../usecases/subusers/leave-server.js';

export function handleLeaveServer(context: ServersContext): Handler<SubuserServiceService['leaveServer']> {
  return async ({ serverId }, call) => {
    await leaveServer(context, serverId, call);
    return {};
  };
}
