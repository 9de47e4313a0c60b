import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { UserWithRole } from '../../domain/authorization.js';
import { isDeletionClaimed } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { loadRole } from '../authorization/authorization.js';
import { type UserView, viewUser } from './user-view.js';

/** Hides claimed deletions from services, which read a user before creating something for it. Throws USER_NOT_FOUND. */
export async function getUser(context: IdentityContext, actor: Actor, userId: string): Promise<UserView> {
  const user = await context.users.findById(userId);
  const isHidden = user !== null && actor.kind === 'service' && isDeletionClaimed(user, context.clock());
  if (!user || isHidden) throw fail('USER_NOT_FOUND', 'no such user');
  return viewUser(context, actor, user);
}

/** Normalised address. Throws USER_NOT_FOUND. */
export async function findUserByEmail(context: IdentityContext, email: string): Promise<UserWithRole> {
  const user = await context.users.findByEmail(email);
  if (!user) throw fail('USER_NOT_FOUND', 'no such user');
  return { user, role: await loadRole(context, user) };
}
