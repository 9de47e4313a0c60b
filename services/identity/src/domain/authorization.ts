import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { Actor } from '@panel/rpc';
import { fail } from '../reasons.js';
import { excessPermissions, intersectPermissions } from './permissions.js';
import type { RoleRecord } from './role.js';
import type { UserRecord } from './user.js';

export interface UserWithRole {
  readonly user: UserRecord;
  readonly role: RoleRecord;
}

/** Grantable by the actor. */
function permissionsOf(actor: Actor): readonly string[] {
  if (actor.kind === 'service') return ['*'];
  if (actor.kind !== 'user') return [];
  return actor.keyPermissions ? intersectPermissions(actor.permissions, actor.keyPermissions) : actor.permissions;
}

/** Throws PERMISSION_EXCEEDS_OWN. */
export function requireGrantable(actor: Actor, permissions: readonly string[], message: string): void {
  const excess = excessPermissions(permissionsOf(actor), permissions);
  if (excess.length > 0) throw fail('PERMISSION_EXCEEDS_OWN', message, { permissions: excess });
}

/** Own rate limits cannot be raised. Throws OWN_RATE_LIMIT. */
export function requireNotOwnPromotion(actor: Actor, target: UserWithRole, role: RoleRecord): void {
  const isOwn = actor.kind === 'user' && actor.userId === target.user.id;
  if (isOwn && role.rateLimitMultiplier > target.role.rateLimitMultiplier)
    throw fail('OWN_RATE_LIMIT', 'nobody raises their own rate limit');
}

/** For a role in a request body. */
export function unknownRoleError() {
  return invalidFields({ role_id: [fieldProblem('not_found', 'is not a role')] });
}
