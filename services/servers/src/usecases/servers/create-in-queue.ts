import type { CallContext } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';

/** One creation for a server after the other, of those who may create something there. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `run`. */
export async function createInQueue<T>(
  context: Pick<ServersContext, 'stores' | 'creationQueue'>,
  serverId: string,
  call: CallContext,
  task: () => Promise<T>,
): Promise<T> {
  // Before it waits: who has no access takes no place. One read for all who come at the same time.
  requireAccess(await context.stores.servers.getJoined(serverId), call);
  return context.creationQueue.run(serverId, task, call.signal);
}
