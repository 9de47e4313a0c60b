import { invalidFields } from '@panel/kit/errors';
import { isPlainText } from '@panel/kit/text';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { ServerAllocation } from '../../domain/allocations/allocation.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';

const maxNotes = 256;

interface AllocationUpdate {
  readonly serverId: string;
  readonly allocationId: string;
  readonly notes?: string | undefined;
  /** Makes it primary. */
  readonly primary: boolean;
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS, ALLOCATION_NOT_FOUND, SERVER_LOCKED, SERVER_SUSPENDED. */
export async function updateServerAllocation(
  { stores }: Pick<ServersContext, 'stores'>,
  { serverId, allocationId, notes, primary }: AllocationUpdate,
  caller: Caller,
): Promise<{ server: GameServer; allocation: ServerAllocation }> {
  const { updates } = stores.servers;
  const { server } = await loadServer({ stores }, serverId, caller);
  if (notes !== undefined && (notes.length > maxNotes || !isPlainText(notes))) {
    throw invalidFields({ notes: [`must be text of at most ${maxNotes} characters`] });
  }
  const missing = () => fail('ALLOCATION_NOT_FOUND', 'the server has no such allocation');
  if (!hasAllocation(server, allocationId)) throw missing();
  checkUnlocked(server);
  let after: GameServer | null = server;
  if (notes !== undefined) after = await updates.setNotes(server.id, allocationId, notes);
  if (after && primary) after = await updates.setPrimary(server.id, allocationId);
  const allocation = after?.allocations.find(({ id }) => id === allocationId);
  if (!after || !allocation) throw missing();
  return { server: after, allocation };
}
