import type { CallContext } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';

/** One creation per server at a time. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `run`. */
export async function createInQueue<T>(
  context: Pick<ServersContext, 'stores' | 'creationQueue'>,
  serverId: string,
  call: CallContext,
  task: () => Promise<T>,
): Promise<T> {
  // Before the queue: no place without access. Concurrent callers share one read.
  requireAccess(await context.stores.servers.getJoined(serverId), call);
  return context.creationQueue.run(serverId, task, call.signal);
}
