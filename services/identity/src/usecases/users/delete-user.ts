import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { adminRole } from '../../domain/system-roles.js';
import { deletionClaimTtlMs, type UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { recordActivity } from '../../activity/record-activity.js';
import { recountAdmins, retireAdmin } from '../../admins/count-admins.js';
import { countServers } from './count-servers.js';

const removalMs = 5_000;

/**
 * Delete a user: claim, look for obstacles, decide, purge. From the decision on the user is deleted for every caller, and
 * any replica finishes the purge. While it is claimed other services create nothing for the user.
 * Throws LAST_ADMIN, USER_OWNS_SERVERS, SERVERS_UNREACHABLE, CONCURRENT_CHANGE.
 */
export async function deleteUser(context: IdentityContext, actor: Actor, user: UserRecord): Promise<void> {
  const { clock, users } = context;
  const claimedAt = clock();
  const claimed = await users.claimDeletion(user.id, claimedAt, deletionClaimTtlMs);
  if (!claimed) throw concurrentChange();
  try {
    await requireNoServers(context, user.id);
    const adminToken = claimed.roleId === adminRole.id ? await retireAdmin(context, claimed) : null;
    if (!(await users.commitDeletion(user.id, claimedAt, { roleId: user.roleId, adminToken })))
      throw concurrentChange();
  } catch (error) {
    await users.releaseDeletion(user.id, claimedAt);
    if (claimed.roleId === adminRole.id) await recountAdmins(context);
    throw error;
  }
  context.log.info({ userId: user.id, by: actor.kind === 'user' ? actor.userId : actor.kind }, 'user deleted');
  await context.epochs.bump(user.id);
  try {
    await purgeUser(context, user.id);
  } catch (error) {
    // Deleted for every caller already; `resumeDeletions` removes the rest.
    context.log.warn({ err: error, userId: user.id }, 'the rest of a deleted user is removed later');
  }
  recordActivity(context, { event: 'user:delete', actor, userId: user.id, properties: { email: user.email } });
}

/** Finish deletions whose process died after the decision. */
export async function resumeDeletions(context: IdentityContext): Promise<void> {
  for (const userId of await context.users.findDeleting()) {
    await context.attempt('finish-deletions', userId, async () => {
      await context.epochs.bump(userId);
      await purgeUser(context, userId);
    });
  }
}

async function purgeUser(context: IdentityContext, userId: string): Promise<void> {
  const { apiKeys, ownership, preferences, sessions, sshKeys, users } = context;
  // Before the record itself: as long as it exists, a purge that fails is repeated.
  await ownership?.removeUserFromServers({ userId }, { timeoutMs: removalMs });
  await Promise.all([apiKeys, preferences, sessions, sshKeys].map(async (store) => store.removeOfUser(userId)));
  await users.removeDeleting(userId);
}

/** The owner of a server is not deleted. Without an answer the user is assumed to own one. */
async function requireNoServers({ ownership }: IdentityContext, userId: string): Promise<void> {
  const count = (await countServers(ownership, [userId])).get(userId) ?? 0;
  if (count > 0) throw fail('USER_OWNS_SERVERS', `this user owns ${count} servers`, { servers_count: count });
}

function concurrentChange() {
  return fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
}
