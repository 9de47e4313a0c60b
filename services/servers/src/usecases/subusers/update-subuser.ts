import type { Caller, PathRule } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { SubuserFields } from '../../domain/subusers/check-subuser.js';
import { requireEndWithinOwn, requireMayChange } from '../../domain/subusers/grant-limits.js';
import { type Subuser, subuserEnd } from '../../domain/subusers/subuser.js';
import { fail } from '../../reasons.js';
import { findSubuser } from './create-subuser.js';
import { explainRefusal } from './explain-refusal.js';
import { visibleSubuser, type VisibleSubuser } from './list-subusers.js';
import { conditionsOf, loadManagedServer, type ManagedServer } from './load-managed-server.js';
import { type GrantRequest, resolveGrant } from '../../domain/subusers/resolve-grant.js';

/** Absent fields stay. */
export interface SubuserUpdate {
  readonly grant?: GrantRequest | undefined;
  readonly pathRules?: readonly PathRule[] | undefined;
  readonly expiresAt?: Date | null | undefined;
}

type UpdateDeps = Pick<ServersContext, 'stores' | 'clock' | 'users'>;

interface SubuserIds {
  readonly serverId: string;
  readonly subuserId: string;
}

/**
 * Effective from the subuser's next request. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SUBUSER_NOT_FOUND,
 * INVALID_FIELDS, SUBUSER_IS_CALLER, SUBUSER_EXCEEDS_OWN, SERVER_CHANGED, SERVER_LOCKED.
 */
export async function updateSubuser(
  deps: UpdateDeps,
  { serverId, subuserId }: SubuserIds,
  update: SubuserUpdate,
  caller: Caller,
): Promise<VisibleSubuser> {
  const managed = await loadManagedServer(deps, serverId, caller);
  const { server, access, callerId } = managed;
  const before = requireSubuser(managed, subuserId);
  requireMayChange(access, callerId, before);
  const at = deps.clock();
  const fields = new SubuserFields();
  if (update.pathRules) fields.pathRules(update.pathRules);
  if (update.expiresAt) fields.expiry(update.expiresAt, at);
  const { role, ...grant } = update.grant
    ? resolveGrant(managed, update.grant, fields)
    : { roleId: before.roleId, permissions: before.permissions, role: undefined };
  fields.require();
  const expiresAt = update.expiresAt === undefined ? before.expiresAt : update.expiresAt;
  if (update.expiresAt !== undefined) requireEndWithinOwn(access, expiresAt);
  const after: Subuser = {
    ...before,
    ...grant,
    ...(update.pathRules && { pathRules: update.pathRules, inheritedPathRules: access.pathRules }),
    expiresAt,
    endsAt: subuserEnd({ ...before, expiresAt }),
    updatedAt: at,
  };
  const conditions = { ...conditionsOf(managed), role };
  const stored = await deps.stores.servers.subusers.replace(server.id, before, after, conditions);
  const found = findSubuser(stored, subuserId);
  if (!found) throw await explainRefusal(deps, server.id, (current) => goneCause(findSubuser(current, subuserId)));
  return visibleSubuser(deps, server, found);
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SUBUSER_NOT_FOUND, SUBUSER_IS_CALLER, SUBUSER_EXCEEDS_OWN, SERVER_CHANGED,
 * SERVER_LOCKED.
 */
export async function deleteSubuser(
  deps: Pick<ServersContext, 'stores'>,
  { serverId, subuserId }: SubuserIds,
  caller: Caller,
): Promise<void> {
  const managed = await loadManagedServer(deps, serverId, caller);
  const subuser = requireSubuser(managed, subuserId);
  requireMayChange(managed.access, managed.callerId, subuser);
  const removed = await deps.stores.servers.subusers.remove(managed.server.id, subuser, conditionsOf(managed));
  if (!removed)
    throw await explainRefusal(deps, managed.server.id, (current) => goneCause(findSubuser(current, subuserId)));
}

function requireSubuser({ server }: ManagedServer, subuserId: string): Subuser {
  const subuser = findSubuser(server, subuserId);
  if (!subuser) throw subuserNotFound();
  return subuser;
}

function goneCause(subuser: Subuser | null) {
  return subuser ? null : subuserNotFound();
}

function subuserNotFound() {
  return fail('SUBUSER_NOT_FOUND', 'no such subuser');
}
