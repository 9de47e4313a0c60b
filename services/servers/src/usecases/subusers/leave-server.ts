import { type Actor, grants } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import type { ManagedServer } from './caller.js';
import { explainRefusal } from './explain-refusal.js';

/** Give up one's own access. Throws SUBUSER_REQUIRED, SERVER_FORBIDDEN (an API key without `user.delete`), SERVER_CHANGED. */
export async function leaveServer(
  deps: Pick<ServersContext, 'stores'>,
  { server, access }: ManagedServer,
  actor: Actor,
): Promise<void> {
  const { subuser } = access;
  if (!subuser) throw fail('SUBUSER_REQUIRED', 'only subusers can leave a server');
  const keyPermissions = actor.kind === 'user' ? actor.keyPermissions : undefined;
  if (keyPermissions && !grants(keyPermissions, 'user.delete')) {
    throw fail('SERVER_FORBIDDEN', 'this needs the right user.delete', { permission: 'user.delete' });
  }
  if (!(await deps.stores.servers.subusers.remove(server.id, subuser, {}))) throw await explainRefusal(deps, server.id);
}
