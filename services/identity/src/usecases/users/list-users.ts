import type { PageQuery } from '@panel/kit/mongo';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { UserWithRole } from '../../domain/authorization.js';
import { isDeletionClaimed, type UserFilter } from '../../domain/user.js';
import { loadRoles } from '../authorization/authorization.js';
import { countServersFor } from './count-servers.js';
import { type UserView, viewUsers } from './user-view.js';

export async function listUsers(
  context: IdentityContext,
  actor: Actor,
  filter: UserFilter,
  page: PageQuery,
): Promise<{ readonly items: UserView[]; readonly total: number }> {
  const { items, total } = await context.users.list(filter, page);
  const [roleOf, countOf] = await Promise.all([loadRoles(context, items), countServersFor(context, actor, items)]);
  return { items: items.map((user) => ({ user, role: roleOf(user), serversCount: countOf(user) })), total };
}

/** Unknown ids are left out. */
export async function batchGetUsers(context: IdentityContext, ids: readonly string[]): Promise<UserWithRole[]> {
  return viewUsers(context, await context.users.findByIds(ids));
}

/** Normalised addresses; without claimed deletions. */
export async function batchGetUsersByEmail(
  context: IdentityContext,
  emails: readonly string[],
): Promise<UserWithRole[]> {
  const now = context.clock();
  const found = await context.users.findByEmails(emails);
  return viewUsers(
    context,
    found.filter((user) => !isDeletionClaimed(user, now)),
  );
}
