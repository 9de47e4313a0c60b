import type { Actor } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import type { IdentityContext } from '../context.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { recountAll, retireAdmin } from './admins.js';
import { adminRole } from './system-roles.js';

/** A deletion that looks for obstacles longer than this has died. */
export const staleClaimMs = 60_000;

/**
 * Delete a user: claim, look for what forbids it, decide, clear away. From the decision on the user is gone for
 * everybody, and whoever finds the rest clears it away. While it is claimed the user gets no new server.
 * Throws LAST_ADMIN, USER_OWNS_SERVERS, SERVERS_UNREACHABLE, CONCURRENT_CHANGE.
 */
export async function deleteUser(context: IdentityContext, user: UserDocument, actor: Actor): Promise<void> {
  const { clock, users } = context;
  const claimedAt = clock();
  const claimed = await users.claimDeletion(user._id, claimedAt, staleClaimMs);
  if (!claimed) throw concurrent();
  try {
    await requireNoServers(context, user._id);
    const guard = { roleId: user.roleId, adminToken: await retiredToken(context, claimed) };
    if (!(await users.decideDeletion(user._id, claimedAt, guard))) throw concurrent();
  } catch (error) {
    await users.releaseDeletion(user._id, claimedAt);
    if (claimed.roleId === adminRole.id) await recountAll(context);
    throw error;
  }
  context.log.info({ userId: user._id, by: actor.kind === 'user' ? actor.userId : actor.kind }, 'user deleted');
  await context.epochs.changed(user._id);
  await clearAway(context, user._id);
}

/** Clear away what deletions left behind whose process died. */
export async function finishDeletions(context: IdentityContext): Promise<void> {
  for (const userId of await context.users.findDecided()) {
    await context.epochs.changed(userId);
    await clearAway(context, userId);
  }
}

async function clearAway({ apiKeys, sessions, users }: IdentityContext, userId: string): Promise<void> {
  await Promise.all([apiKeys.removeOfUser(userId), sessions.removeOfUser(userId)]);
  await users.removeDecided(userId);
}

async function retiredToken(context: IdentityContext, user: UserDocument): Promise<string | null> {
  return user.roleId === adminRole.id ? retireAdmin(context, user) : null;
}

/** Nobody deletes the owner of a server. Who cannot be asked is assumed to know of one. */
async function requireNoServers({ ownership }: IdentityContext, userId: string): Promise<void> {
  const count = (await countServers(ownership, [userId])).get(userId) ?? 0;
  if (count > 0) throw fail('USER_OWNS_SERVERS', `this user owns ${count} servers`, { servers_count: count });
}

/** How many servers each of these users owns; users without any have no entry. Throws SERVERS_UNREACHABLE. */
export async function countServers(
  ownership: IdentityContext['ownership'],
  userIds: readonly string[],
): Promise<Map<string, number>> {
  if (ownership === null) throw fail('SERVERS_UNREACHABLE', 'there is no servers service to ask; set SERVERS_ADDRESS');
  try {
    const { countByUserId } = await ownership.countOwnedServers({ userIds: [...userIds] }, { timeoutMs: 3_000 });
    return new Map(Object.entries(countByUserId));
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw fail('SERVERS_UNREACHABLE', 'the servers service does not answer', {}, { cause: error });
  }
}

function concurrent() {
  return fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
}
