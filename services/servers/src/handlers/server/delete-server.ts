import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';

/** Begin a deletion; whatever else is under way with the server ends. */
export function deleteServer(context: ServersContext): Handler<ServerServiceService['deleteServer']> {
  return async ({ serverId, force }, { actor }) => {
    requirePermission(actor, 'servers.delete');
    const { updates } = context.stores.servers;
    const operation = { id: randomUUID(), kind: 'deleting' as const, step: 'waiting', options: { force } };
    const started = await updates.beginDelete(serverId, operation);
    if (started) context.engine.operations.cancel(serverId);
    else if (!(await context.stores.servers.exists(serverId))) throw serverNotFound();
    else if (force) await updates.forceDelete(serverId);
    context.engine.runNow();
    return {};
  };
}
