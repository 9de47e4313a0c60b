import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { UserWithRole } from '../../domain/authorization.js';
import type { UserRecord } from '../../domain/user.js';
import { loadRole, loadRoles } from '../authorization/authorization.js';
import { countServersFor } from './count-servers.js';

/** With response data beyond the record. */
export interface UserView extends UserWithRole {
  /** Undefined: unavailable, or for services. */
  readonly serversCount?: number | undefined;
}

/** As seen by the actor. */
export async function viewUser(context: IdentityContext, actor: Actor, user: UserRecord): Promise<UserView> {
  const [role, countOf] = await Promise.all([loadRole(context, user), countServersFor(context, actor, [user])]);
  return { user, role, serversCount: countOf(user) };
}

/** Without counts. */
export async function viewUsers(context: IdentityContext, users: readonly UserRecord[]): Promise<UserWithRole[]> {
  const roleOf = await loadRoles(context, users);
  return users.map((user) => ({ user, role: roleOf(user) }));
}
