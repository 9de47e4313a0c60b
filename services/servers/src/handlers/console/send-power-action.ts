import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { readPowerAction } from '../../present/server.js';
import { sendPowerAction } from '../../usecases/power/send-power-action.js';

export function handleSendPowerAction(context: ServersContext): Handler<ConsoleServiceService['sendPowerAction']> {
  return async ({ serverId, action }, call) => ({
    operationId: await sendPowerAction(context, serverId, readPowerAction(action), call),
  });
}
