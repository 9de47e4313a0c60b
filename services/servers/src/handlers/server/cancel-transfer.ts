import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { fail } from '../../reasons.js';

/** One write ends it, whether or not anybody works on it or either node answers; what is on the target goes afterwards. */
export function cancelTransfer(context: ServersContext): Handler<ServerServiceService['cancelTransfer']> {
  return async ({ serverId }, { actor }) => {
    requirePermission(actor, 'servers.transfer');
    const { servers } = context.stores;
    const ended = await servers.transfers.end(serverId, { outcome: 'cancelled' });
    if (!ended) {
      const server = await servers.get(serverId);
      if (!server) throw serverNotFound();
      const words =
        server.lastTransfer?.outcome === 'completed'
          ? 'the server is not being transferred: it is on its new node already'
          : 'the server is not being transferred';
      throw fail('NO_TRANSFER', words);
    }
    context.engine.operations.cancel(serverId);
    context.engine.hub.find(serverId)?.notice('the transfer was cancelled: the server stays where it is');
    context.engine.runNow();
    return {};
  };
}
