import { fail } from '../../reasons.js';
import type { Access } from '../servers/access.js';
import { requireMayChange, requireWithinOwn } from './grant-limits.js';
import { builtInRoles, maxSubuserRoles, type SubuserRole } from './roles.js';
import type { Subuser } from './subuser.js';

interface WithSubusers {
  readonly subusers: readonly Subuser[];
  readonly subuserRoles: readonly SubuserRole[];
}

interface RoleChange {
  readonly server: WithSubusers;
  readonly access: Access;
  /** Null: an internal service. */
  readonly callerId: string | null;
}

/** Built-in roles are not found. */
export function requireChangeable({ server, access, callerId }: RoleChange, roleId: string): SubuserRole {
  const role = findOwnRole(server, roleId);
  if (!role) throw roleNotFound();
  requireWithinOwn(access, role.permissions);
  for (const subuser of server.subusers) {
    if (subuser.roleId === roleId) requireMayChange(access, callerId, subuser);
  }
  return role;
}

export function requireUniqueName(server: WithSubusers, role: SubuserRole): void {
  const taken = nameCause(server, role);
  if (taken) throw taken;
}

export function creationCause(server: WithSubusers, role: SubuserRole) {
  const isFull = server.subuserRoles.length >= maxSubuserRoles;
  const limit = () => fail('SUBUSER_ROLE_LIMIT', `a server has at most ${maxSubuserRoles} roles of its own`);
  return nameCause(server, role) ?? (isFull ? limit() : null);
}

export function nameCause({ subuserRoles }: WithSubusers, { id, name }: SubuserRole) {
  const isTaken = [...builtInRoles, ...subuserRoles].some(
    (one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase(),
  );
  return isTaken ? fail('SUBUSER_ROLE_EXISTS', 'this server has a role of this name') : null;
}

export function goneCause(server: WithSubusers, roleId: string) {
  return findOwnRole(server, roleId) ? null : roleNotFound();
}

export function inUseCause({ subusers }: WithSubusers, roleId: string) {
  const count = subusers.filter((subuser) => subuser.roleId === roleId).length;
  return count === 0 ? null : fail('SUBUSER_ROLE_IN_USE', 'subusers have this role', { subusers_count: count });
}

export function findOwnRole(server: WithSubusers | null, roleId: string): SubuserRole | null {
  return server?.subuserRoles.find(({ id }) => id === roleId) ?? null;
}

function roleNotFound() {
  return fail('SUBUSER_ROLE_NOT_FOUND', 'no such role');
}
