import type { AppError } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';

/** Error of a failed change; `isCause` checks the current server for further reasons. */
export async function explainRefusal(
  { stores }: Pick<ServersContext, 'stores'>,
  serverId: string,
  isCause: (server: GameServer) => AppError | null = () => null,
): Promise<AppError> {
  const server = await stores.servers.get(serverId);
  if (!server) return serverNotFound();
  if (server.operation?.kind === 'deleting') return fail('SERVER_LOCKED', 'the server is being deleted');
  return isCause(server) ?? fail('SERVER_CHANGED', 'the access to this server was changed at the same moment');
}
