import { type CallContext, type Caller, createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { SubuserFields } from '../../domain/subusers/check-subuser.js';
import {
  creationCause,
  findOwnRole,
  goneCause,
  inUseCause,
  nameCause,
  requireChangeable,
  requireUniqueName,
} from '../../domain/subusers/change-role.js';
import { requireWithinOwn } from '../../domain/subusers/grant-limits.js';
import type { SubuserRole } from '../../domain/subusers/roles.js';
import { explainRefusal } from './explain-refusal.js';
import { conditionsOf, loadManagedServer } from './load-managed-server.js';

type RoleDeps = Pick<ServersContext, 'stores'>;

interface RoleIds {
  readonly serverId: string;
  readonly roleId: string;
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS, SUBUSER_EXCEEDS_OWN, SUBUSER_ROLE_EXISTS,
 * SUBUSER_ROLE_LIMIT, SERVER_CHANGED, SERVER_LOCKED.
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
    find: async (id) => findOwnRole(await deps.stores.servers.get(server.id), id),
    create: async (id) => {
      const fields = new SubuserFields();
      const role = { id, name: fields.name(request.name), permissions: fields.permissions(request.permissions) };
      fields.require();
      requireWithinOwn(access, role.permissions);
      requireUniqueName(server, role);
      if (await deps.stores.servers.subusers.addRole(server.id, role, conditionsOf(managed))) return role;
      throw await explainRefusal(deps, server.id, (current) => creationCause(current, role));
    },
  });
  return object;
}

/** Throws SUBUSER_ROLE_NOT_FOUND, SUBUSER_IS_CALLER (the caller's role), and as `createSubuserRole`. */
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
