import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { detachAllocation } from './attach-allocation.js';

/** Throws ALLOCATION_NOT_FOUND, ALLOCATION_PRIMARY, SERVER_LOCKED, SERVER_SUSPENDED, SERVER_CHANGED. */
export async function removeAllocation(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  server: GameServer,
  allocationId: string,
): Promise<void> {
  if (!hasAllocation(server, allocationId)) throw fail('ALLOCATION_NOT_FOUND', 'the server has no such allocation');
  checkUnlocked(server);
  if (server.allocationId === allocationId) throw fail('ALLOCATION_PRIMARY', 'the primary allocation stays');
  await detachAllocation(stores, server, allocationId, clock());
}
