import type { AppError } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';

/** Why a change of subusers did not happen; `isCause` recognises reasons of its own in the server as it is now. */
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
