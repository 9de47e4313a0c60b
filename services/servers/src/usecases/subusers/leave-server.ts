import { type Caller, grants } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../servers/load-server.js';
import { explainRefusal } from './explain-refusal.js';

/** Throws SERVER_NOT_FOUND, SUBUSER_REQUIRED, SERVER_FORBIDDEN (API key without `user.delete`), SERVER_CHANGED. */
export async function leaveServer(
  deps: Pick<ServersContext, 'stores'>,
  serverId: string,
  caller: Caller,
): Promise<void> {
  const { server, access } = await loadServer(deps, serverId, caller);
  const { actor } = caller;
  const { subuser } = access;
  if (!subuser) throw fail('SUBUSER_REQUIRED', 'only subusers can leave a server');
  const keyPermissions = actor.kind === 'user' ? actor.keyPermissions : undefined;
  if (keyPermissions && !grants(keyPermissions, 'user.delete')) {
    throw fail('SERVER_FORBIDDEN', 'this needs the right user.delete', { permission: 'user.delete' });
  }
  if (!(await deps.stores.servers.subusers.remove(server.id, subuser, {}))) throw await explainRefusal(deps, server.id);
}
