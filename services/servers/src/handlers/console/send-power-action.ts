import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ConsoleServiceService, ServerPermission } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { PowerAction } from '../../domain/servers/server.js';
import { readPowerAction } from '../../present/server.js';
import { requestPowerAction } from '../../usecases/power/request-power-action.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** Whoever may stop may also kill. */
const permissionFor: Readonly<Record<PowerAction, ServerPermission>> = {
  start: 'control.start',
  stop: 'control.stop',
  restart: 'control.restart',
  kill: 'control.stop',
};

export function sendPowerAction(context: ServersContext): Handler<ConsoleServiceService['sendPowerAction']> {
  return async (request, { actor }) => {
    const action = readPowerAction(request.action);
    const { server } = await loadServer(context, request.serverId, actor, action ? permissionFor[action] : undefined);
    if (!action) throw invalidFields({ action: ['must be start, stop, restart or kill'] });
    return { operationId: await requestPowerAction(context, server, action) };
  };
}
