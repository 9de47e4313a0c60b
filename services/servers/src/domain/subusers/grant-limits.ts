import type { ServerPermission } from '@panel/protos/permissions';
import type { PathRule } from '@panel/rpc';
import { fail } from '../../reasons.js';
import { type Access, allows } from '../servers/access.js';
import { pathRulesOf, permissionsOf, type Subuser } from './subuser.js';

/** Throws SUBUSER_EXCEEDS_OWN naming permissions that the caller lacks. */
export function requireWithinOwn(access: Access, permissions: readonly ServerPermission[]): void {
  const lacking = permissions.filter((permission) => !allows(access, permission));
  if (lacking.length === 0) return;
  throw fail('SUBUSER_EXCEEDS_OWN', 'you do not hold all of these permissions yourself', { permissions: lacking });
}

/** Throws SUBUSER_EXCEEDS_OWN. */
export function requireEndWithinOwn({ subuser }: Access, expiresAt: Date | null): void {
  const own = subuser?.expiresAt ?? null;
  if (own === null || (expiresAt !== null && expiresAt <= own)) return;
  const metadata = { expires_at: own.toISOString() };
  throw fail('SUBUSER_EXCEEDS_OWN', 'your own access ends before', metadata);
}

/** Neither themselves nor a user with more permissions. Throws SUBUSER_IS_CALLER, SUBUSER_EXCEEDS_OWN. */
export function requireMayChange(access: Access, callerId: string | null, subuser: Subuser): void {
  if (callerId !== null && subuser.userId === callerId) {
    throw fail('SUBUSER_IS_CALLER', 'nobody changes their own access; leaving the server is possible');
  }
  requireWithinOwn(access, permissionsOf(subuser));
  const bound = pathRulesOf(subuser);
  const isBound = access.pathRules.every((rules) => bound.some((other) => isSameList(rules, other)));
  if (!isBound) throw fail('SUBUSER_EXCEEDS_OWN', 'this subuser reaches files that you do not', { permissions: [] });
}

function isSameList(a: readonly PathRule[], b: readonly PathRule[]): boolean {
  return a.length === b.length && a.every(({ path, access }, i) => path === b[i]?.path && access === b[i].access);
}
