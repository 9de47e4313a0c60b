import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { hasAllocation } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { detachAllocation } from './attach-allocation.js';
import { loadServer } from './load-server.js';

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, ALLOCATION_NOT_FOUND, ALLOCATION_PRIMARY, SERVER_LOCKED, SERVER_SUSPENDED,
 * SERVER_CHANGED.
 */
export async function removeServerAllocation(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  { serverId, allocationId }: { readonly serverId: string; readonly allocationId: string },
  caller: Caller,
): Promise<void> {
  const { server } = await loadServer({ stores }, serverId, caller);
  if (!hasAllocation(server, allocationId)) throw fail('ALLOCATION_NOT_FOUND', 'the server has no such allocation');
  checkUnlocked(server);
  if (server.allocationId === allocationId) throw fail('ALLOCATION_PRIMARY', 'the primary allocation stays');
  await detachAllocation(stores, server, allocationId, clock());
}
