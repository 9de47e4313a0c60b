import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { Access } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { SubuserConditions } from '../../models/servers/server-subusers.js';
import { loadServer } from '../servers/load-server.js';

export interface ManagedServer {
  readonly server: GameServer;
  readonly access: Access;
  /** Null: an internal service. */
  readonly callerId: string | null;
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function loadManagedServer(
  context: Pick<ServersContext, 'stores'>,
  serverId: string,
  caller: Caller,
): Promise<ManagedServer> {
  const { server, access } = await loadServer(context, serverId, caller);
  return { server, access, callerId: caller.actor.kind === 'user' ? caller.actor.userId : null };
}

/** Changes require the caller's access unchanged. */
export function conditionsOf({ access }: Pick<ManagedServer, 'access'>): SubuserConditions {
  return { by: access.subuser };
}
