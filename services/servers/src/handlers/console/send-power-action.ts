import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import { powerPermissions } from '@panel/protos/permissions';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { readPowerAction } from '../../present/server.js';
import { requestPowerAction } from '../../usecases/power/request-power-action.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function sendPowerAction(context: ServersContext): Handler<ConsoleServiceService['sendPowerAction']> {
  return async (request, call) => {
    const action = readPowerAction(request.action);
    const { server } = await loadServer(context, request.serverId, call, action ? powerPermissions[action] : undefined);
    if (!action) throw invalidFields({ action: ['must be start, stop, restart or kill'] });
    return { operationId: await requestPowerAction(context, server, action) };
  };
}
