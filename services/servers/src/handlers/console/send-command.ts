import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { sendCommand } from '../../usecases/power/send-command.js';

export function handleSendCommand(context: ServersContext): Handler<ConsoleServiceService['sendCommand']> {
  return async (request, call) => {
    const { limit, used, resetsAt } = await sendCommand(context, request, call);
    return { quota: { limit, used, resetTime: new Date(resetsAt) } };
  };
}
