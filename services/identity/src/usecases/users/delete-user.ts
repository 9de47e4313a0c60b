import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { adminRole } from '../../domain/system-roles.js';
import { deletionClaimTtlMs } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { recountAdmins, retireAdmin } from '../../admins/count-admins.js';
import { loadTargetUser } from '../authorization/authorization.js';
import { purgeUser } from '../../deletions/resume-deletions.js';
import { countServers } from './count-servers.js';
import { requireNoObligations } from './require-no-obligations.js';

/**
 * Claim, check obstacles, decide, purge. A decided user is deleted for every caller; any replica completes the purge.
 * While claimed, other services create nothing for the user. `force` leaves credits, invoices and services without a
 * user. Throws USER_NOT_FOUND, LAST_ADMIN, USER_OWNS_SERVERS, USER_HAS_OBLIGATIONS, SERVERS_UNREACHABLE,
 * BILLING_UNREACHABLE, CONCURRENT_CHANGE.
 */
export async function deleteUser(
  context: IdentityContext,
  actor: Actor,
  { userId, force }: { readonly userId: string; readonly force: boolean },
): Promise<void> {
  const { user } = await loadTargetUser(context, actor, userId);
  const { clock, users } = context;
  const claimedAt = clock();
  const claimed = await users.claimDeletion(userId, claimedAt, deletionClaimTtlMs);
  if (!claimed) throw concurrentChange();
  try {
    await requireNoServers(context, userId);
    if (!force) await requireNoObligations(context, userId);
    const adminToken = claimed.roleId === adminRole.id ? await retireAdmin(context, claimed) : null;
    if (!(await users.commitDeletion(userId, claimedAt, { roleId: user.roleId, adminToken }))) throw concurrentChange();
  } catch (error) {
    await users.releaseDeletion(userId, claimedAt);
    if (claimed.roleId === adminRole.id) await recountAdmins(context);
    throw error;
  }
  context.log.info({ userId: userId, by: actor.kind === 'user' ? actor.userId : actor.kind }, 'user deleted');
  await context.epochs.bump(userId);
  try {
    await purgeUser(context, userId);
  } catch (error) {
    // Already deleted for callers; `resumeDeletions` removes the rest.
    context.log.warn({ err: error, userId: userId }, 'the rest of a deleted user is removed later');
  }
  await context.activity.record({ event: 'user:delete', userId, properties: { email: user.email } }, actor);
}

/** Fails closed without a response. */
async function requireNoServers({ ownership }: IdentityContext, userId: string): Promise<void> {
  const count = (await countServers(ownership, [userId])).get(userId) ?? 0;
  if (count > 0) throw fail('USER_OWNS_SERVERS', `this user owns ${count} servers`, { servers_count: count });
}

function concurrentChange() {
  return fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
}
