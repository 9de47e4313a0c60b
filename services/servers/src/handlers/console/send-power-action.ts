import { wordOf } from '@panel/kit/records';
import { type ConsoleServiceService, PowerAction } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { sendPowerAction } from '../../usecases/power/send-power-action.js';

export function handleSendPowerAction(context: ServersContext): Handler<ConsoleServiceService['sendPowerAction']> {
  return async ({ serverId, action }, call) => ({
    operationId: await sendPowerAction(context, serverId, wordOf(PowerAction, action), call),
  });
}
