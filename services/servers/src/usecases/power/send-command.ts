import { AppError, invalidFields, isAppError } from '@panel/kit/errors';
import { isCommandLine } from '@panel/kit/text';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { parseStop } from '../../domain/eggs/stop.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type CommandQuota, isExceeded, tooManyCommands } from '../../domain/servers/command-quota.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

const maxLength = 4096;

/**
 * Counts commands of callers with access only: others could use up a server's commands. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN; with the quota in their metadata RATE_LIMIT_EXCEEDED, and as `writeCommand`.
 */
export async function sendCommand(
  context: Pick<ServersContext, 'stores' | 'runtimes' | 'commandLimiter'>,
  { serverId, command }: { readonly serverId: string; readonly command: string },
  caller: Caller,
): Promise<CommandQuota> {
  const { server } = await loadServer(context, serverId, caller);
  const quota = await context.commandLimiter.countCommand(server.id);
  try {
    if (isExceeded(quota)) throw tooManyCommands(quota, Date.now());
    await writeCommand(context, server, command);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.kind, error.reason, error.message, { ...error.metadata, quota }, { cause: error });
  }
  return quota;
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
