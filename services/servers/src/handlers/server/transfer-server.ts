import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { beginTransfer } from '../../usecases/transfers/transfer-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function transferServer(context: ServersContext): Handler<ServerServiceService['transferServer']> {
  return async ({ serverId, nodeId, allocationId, additionalAllocationIds }, { actor }) => {
    requirePermission(actor, 'servers.transfer');
    const { engine, stores, files, failpoint, clock } = context;
    const server = await stores.servers.get(serverId);
    if (!server) throw serverNotFound();
    const { owner, runtimes, settings } = engine.deps;
    const deps = { stores, files, runtimes, failpoint, owner, reserveTtlMs: settings.workTtlMs };
    const request = {
      nodeId,
      allocationId,
      additionalAllocationIds: additionalAllocationIds?.allocationIds ?? null,
    };
    const started = await beginTransfer(deps, server, request, clock());
    engine.runNow();
    return { server: await showServer(context, started, actor, true) };
  };
}
