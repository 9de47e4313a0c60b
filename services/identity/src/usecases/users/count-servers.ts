import { isAppError } from '@panel/kit/errors';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';

/** Users without servers have no entry. Throws SERVERS_UNREACHABLE. */
export async function countServers(
  ownership: IdentityContext['ownership'],
  userIds: readonly string[],
): Promise<Map<string, number>> {
  if (ownership === null) throw fail('SERVERS_UNREACHABLE', 'there is no servers service; set SERVERS_ADDRESS');
  try {
    const { countByUserId } = await ownership.countOwnedServers({ userIds: [...userIds] }, { timeoutMs: 3_000 });
    return new Map(Object.entries(countByUserId));
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw fail('SERVERS_UNREACHABLE', 'the servers service does not answer', {}, { cause: error });
  }
}

/**
 * Undefined: unavailable, as lists are useful without counts. None for services: servers calls identity while serving a
 * call.
 */
export async function countServersFor(
  context: IdentityContext,
  actor: Actor,
  users: readonly UserRecord[],
): Promise<(user: UserRecord) => number | undefined> {
  if (actor.kind !== 'user' || context.ownership === null || users.length === 0) return () => undefined;
  try {
    const counts = await countServers(
      context.ownership,
      users.map(({ id }) => id),
    );
    return (user) => counts.get(user.id) ?? 0;
  } catch (error) {
    if (!isAppError(error, 'SERVERS_UNREACHABLE')) throw error;
    context.log.warn({ err: error }, 'servers cannot be counted');
    return () => undefined;
  }
}
