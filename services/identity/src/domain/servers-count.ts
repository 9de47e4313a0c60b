import type { Actor } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import type { IdentityContext } from '../context.js';
import type { UserDocument } from '../models/user.js';
import { countServers } from './deletion.js';

/**
 * How many servers each of these users owns, for people who look at them; undefined where it cannot be learned, because a
 * list of users is worth having without it. Services get no counts: some of them ask while they are being asked.
 */
export async function countForPeople(
  context: IdentityContext,
  actor: Actor,
  users: readonly UserDocument[],
): Promise<(user: UserDocument) => number | undefined> {
  if (actor.kind !== 'user' || context.ownership === null || users.length === 0) return () => undefined;
  try {
    const counts = await countServers(
      context.ownership,
      users.map(({ _id }) => _id),
    );
    return (user) => counts.get(user._id) ?? 0;
  } catch (error) {
    if (!isAppError(error, 'SERVERS_UNREACHABLE')) throw error;
    context.log.warn({ err: error }, 'servers cannot be counted');
    return () => undefined;
  }
}
