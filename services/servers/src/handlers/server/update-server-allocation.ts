import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import { presentServerAllocation } from '../../present/allocation.js';
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
    if (!hasAllocation(server, allocationId)) throw missing();
    checkUnlocked(server);
    const { updates } = context.stores.servers;
    let after: GameServer | null = server;
    if (notes !== undefined) after = await updates.setNotes(serverId, allocationId, notes);
    if (after && primary) after = await updates.setPrimary(serverId, allocationId);
    const allocation = after?.allocations.find(({ id }) => id === allocationId);
    if (!after || !allocation) throw missing();
    return { allocation: presentServerAllocation(after, allocation) };
  };
}
