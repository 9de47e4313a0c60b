import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { presentAllocation } from '../../present/allocation.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';

const maxNotes = 256;

export function updateServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['updateServerAllocation']> {
  return async ({ serverId, allocationId, notes, primary }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor, 'allocation.update');
    if (notes !== undefined && (notes.length > maxNotes || notes.includes('\0'))) {
      throw invalidFields({ notes: [`must have at most ${maxNotes} characters`] });
    }
    const missing = () => fail('ALLOCATION_NOT_FOUND', 'the server has no such allocation');
    if (!server.allocationIds.includes(allocationId)) throw missing();
    checkUnlocked(server);
    const { stores } = context;
    if (notes !== undefined && !(await stores.allocations.setNotes(serverId, allocationId, notes))) throw missing();
    if (primary && !(await stores.servers.updates.setPrimary(serverId, allocationId))) throw missing();
    const allocation = (await stores.allocations.ofServers([serverId])).find(({ id }) => id === allocationId);
    if (!allocation) throw missing();
    return { allocation: presentAllocation(allocation) };
  };
}
