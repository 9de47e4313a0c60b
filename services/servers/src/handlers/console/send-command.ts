import type { Handler } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { parseStop } from '../../domain/eggs/stop.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../../usecases/servers/load-server.js';

const maxLength = 4096;

/** One line to the game's console. A game that is starting or stopping hears it too. */
export function sendCommand(context: ServersContext): Handler<ConsoleServiceService['sendCommand']> {
  return async ({ serverId, command }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor, 'control.console');
    // oxlint-disable-next-line no-control-regex -- one line: control characters would be keys pressed in its terminal
    if (command === '' || command.length > maxLength || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(command)) {
      throw invalidFields({ command: [`must be one line of 1 to ${maxLength} characters`] });
    }
    checkUnlocked(server);
    if (server.power.state === 'offline') throw offline();
    const runtime = context.engine.runtimes.of(await nodeOf(context, server));
    if (isStopCommand(server, command)) await context.stores.servers.power.markStopping(serverId);
    try {
      await runtime.writeInput(serverId, `${command}\n`);
    } catch (error) {
      if (isAppError(error, 'INSTANCE_NOT_FOUND')) throw offline();
      throw error;
    }
    return {};
  };
}

function offline() {
  return fail('SERVER_OFFLINE', 'the server does not run');
}

/** A stop typed by hand is not a crash. */
function isStopCommand(server: GameServer, command: string): boolean {
  const method = parseStop(server.egg.config.stop);
  return method.kind === 'command' && method.command === command.trim();
}
