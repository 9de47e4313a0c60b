import { invalidFields, isAppError } from '@panel/kit/errors';
import { isCommandLine } from '@panel/kit/text';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { parseStop } from '../../domain/eggs/stop.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

const maxLength = 4096;

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `writeCommand`. */
export async function sendCommand(
  context: Pick<ServersContext, 'stores' | 'runtimes'>,
  { serverId, command }: { readonly serverId: string; readonly command: string },
  caller: Caller,
): Promise<void> {
  const { server } = await loadServer(context, serverId, caller);
  await writeCommand(context, server, command);
}

/**
 * Writes one console line, also during start and stop. Throws INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED,
 * SERVER_OFFLINE, NODE_UNREACHABLE.
 */
export async function writeCommand(
  context: Pick<ServersContext, 'stores' | 'runtimes'>,
  server: GameServer,
  command: string,
): Promise<void> {
  if (command === '' || command.length > maxLength || !isCommandLine(command)) {
    throw invalidFields({ command: [`must be one line of 1 to ${maxLength} characters without control characters`] });
  }
  checkUnlocked(server);
  if (server.power.state === 'offline') throw offline();
  const runtime = context.runtimes.of(await nodeOf(context, server));
  if (isStopCommand(server, command)) await context.stores.servers.power.markStopping(server.id);
  try {
    await runtime.writeInput(server.id, `${command}\n`);
  } catch (error) {
    if (isAppError(error, 'INSTANCE_NOT_FOUND')) throw offline();
    throw error;
  }
}

function offline() {
  return fail('SERVER_OFFLINE', 'the server does not run');
}

/** A typed stop command is a stop, not a crash. */
function isStopCommand(server: GameServer, command: string): boolean {
  const method = parseStop(server.egg.config.stop);
  return method.kind === 'command' && method.command === command.trim();
}
