import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { sendCommand } from '../../usecases/power/send-command.js';

export function handleSendCommand(context: ServersContext): Handler<ConsoleServiceService['sendCommand']> {
  return async (request, call) => {
    await sendCommand(context, request, call);
    return {};
  };
}
