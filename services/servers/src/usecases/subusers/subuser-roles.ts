import { type CallContext, type Caller, createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { SubuserFields } from '../../domain/subusers/check-subuser.js';
import { requireMayChange, requireWithinOwn } from '../../domain/subusers/grant-limits.js';
import { builtInRoles, maxSubuserRoles, type SubuserRole } from '../../domain/subusers/roles.js';
import { fail } from '../../reasons.js';
import { explainRefusal } from './explain-refusal.js';
import { conditionsOf, loadManagedServer, type ManagedServer } from './load-managed-server.js';

type RoleDeps = Pick<ServersContext, 'stores'>;

interface RoleIds {
  readonly serverId: string;
  readonly roleId: string;
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS, SUBUSER_EXCEEDS_OWN, SUBUSER_ROLE_EXISTS, SUBUSER_ROLE_LIMIT,
 * SERVER_CHANGED, SERVER_LOCKED.
 */
export async function createSubuserRole(
  deps: RoleDeps,
  serverId: string,
  request: { readonly name: string; readonly permissions: readonly string[] },
  call: CallContext,
): Promise<SubuserRole> {
  const managed = await loadManagedServer(deps, serverId, call);
  const { server, access } = managed;
  const { object } = await createOnce(call.idempotencyId, {
    find: async (id) => ownRole(await deps.stores.servers.get(server.id), id),
    create: async (id) => {
      const fields = new SubuserFields();
      const role = { id, name: fields.name(request.name), permissions: fields.permissions(request.permissions) };
      fields.require();
      requireWithinOwn(access, role.permissions);
      requireUniqueName(server, role);
      if (await deps.stores.servers.subusers.addRole(server.id, role, conditionsOf(managed))) return role;
      throw await explainRefusal(deps, server.id, (current) => causeOf(current, role));
    },
  });
  return object;
}

/** Throws SUBUSER_ROLE_NOT_FOUND, SUBUSER_IS_CALLER (the caller has this role), and as creating one. */
export async function updateSubuserRole(
  deps: RoleDeps,
  { serverId, roleId }: RoleIds,
  update: { readonly name: string | undefined; readonly permissions: readonly string[] | undefined },
  caller: Caller,
): Promise<SubuserRole> {
  const managed = await loadManagedServer(deps, serverId, caller);
  const { server } = managed;
  const before = requireChangeable(managed, roleId);
  const fields = new SubuserFields();
  const after: SubuserRole = {
    id: roleId,
    name: update.name === undefined ? before.name : fields.name(update.name),
    permissions: update.permissions === undefined ? before.permissions : fields.permissions(update.permissions),
  };
  fields.require();
  requireWithinOwn(managed.access, after.permissions);
  requireUniqueName(server, after);
  const { subusers } = deps.stores.servers;
  if (await subusers.replaceRole(server.id, after, before.permissions, conditionsOf(managed))) return after;
  throw await explainRefusal(deps, server.id, (current) => goneCause(current, roleId) ?? nameCause(current, after));
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SUBUSER_ROLE_NOT_FOUND, SUBUSER_ROLE_IN_USE, SUBUSER_EXCEEDS_OWN,
 * SERVER_CHANGED, SERVER_LOCKED.
 */
export async function deleteSubuserRole(deps: RoleDeps, { serverId, roleId }: RoleIds, caller: Caller): Promise<void> {
  const managed = await loadManagedServer(deps, serverId, caller);
  const { server } = managed;
  requireChangeable(managed, roleId);
  if (await deps.stores.servers.subusers.removeRole(server.id, roleId, conditionsOf(managed))) return;
  throw await explainRefusal(deps, server.id, (current) => goneCause(current, roleId) ?? inUseCause(current, roleId));
}

/** The roles that every server has are not found for a change. */
function requireChangeable({ server, access, callerId }: ManagedServer, roleId: string): SubuserRole {
  const role = ownRole(server, roleId);
  if (!role) throw roleNotFound();
  requireWithinOwn(access, role.permissions);
  for (const subuser of server.subusers ?? []) {
    if (subuser.roleId === roleId) requireMayChange(access, callerId, subuser);
  }
  return role;
}

function requireUniqueName(server: GameServer, role: SubuserRole): void {
  const taken = nameCause(server, role);
  if (taken) throw taken;
}

function causeOf(server: GameServer, role: SubuserRole) {
  const isFull = (server.subuserRoles ?? []).length >= maxSubuserRoles;
  const limit = () => fail('SUBUSER_ROLE_LIMIT', `a server has at most ${maxSubuserRoles} roles of its own`);
  return nameCause(server, role) ?? (isFull ? limit() : null);
}

function nameCause({ subuserRoles = [] }: GameServer, { id, name }: SubuserRole) {
  const isTaken = [...builtInRoles, ...subuserRoles].some(
    (one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase(),
  );
  return isTaken ? fail('SUBUSER_ROLE_EXISTS', 'this server has a role of this name') : null;
}

function goneCause(server: GameServer, roleId: string) {
  return ownRole(server, roleId) ? null : roleNotFound();
}

function inUseCause({ subusers = [] }: GameServer, roleId: string) {
  const count = subusers.filter((subuser) => subuser.roleId === roleId).length;
  return count === 0 ? null : fail('SUBUSER_ROLE_IN_USE', 'subusers have this role', { subusers_count: count });
}

function ownRole(server: GameServer | null, roleId: string): SubuserRole | null {
  return server?.subuserRoles?.find(({ id }) => id === roleId) ?? null;
}

function roleNotFound() {
  return fail('SUBUSER_ROLE_NOT_FOUND', 'no such role');
}
