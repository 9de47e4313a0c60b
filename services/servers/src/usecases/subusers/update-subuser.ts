import type { Caller, PathRule } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { SubuserFields } from '../../domain/subusers/check-subuser.js';
import { requireEndWithinOwn, requireMayChange } from '../../domain/subusers/grant-limits.js';
import { invitedThrough } from '../../domain/subusers/invited.js';
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

type UpdateDeps = Pick<ServersContext, 'stores' | 'installationClock' | 'users'>;

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
  const at = deps.installationClock();
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

interface HandedOn {
  /** To whom they have given access, and to whom those have. */
  readonly invited: readonly Subuser[];
  readonly schedulesCount: number;
}

/**
 * `withInvited` also whom they have given access, all or none. Resolves with what they have handed on. Throws
 * SERVER_NOT_FOUND, SERVER_FORBIDDEN, SUBUSER_NOT_FOUND, SUBUSER_IS_CALLER, SUBUSER_EXCEEDS_OWN, SERVER_CHANGED,
 * SERVER_LOCKED.
 */
export async function deleteSubuser(
  deps: Pick<ServersContext, 'stores'>,
  { serverId, subuserId, withInvited }: SubuserIds & { readonly withInvited: boolean },
  caller: Caller,
): Promise<HandedOn> {
  const managed = await loadManagedServer(deps, serverId, caller);
  const { server, access, callerId } = managed;
  const subuser = requireSubuser(managed, subuserId);
  const invited = invitedThrough(server.subusers, subuser);
  for (const each of withInvited ? [subuser, ...invited] : [subuser]) requireMayChange(access, callerId, each);
  const { servers, schedules } = deps.stores;
  const conditions = conditionsOf(managed);
  const removed = withInvited
    ? await servers.subusers.removeWith(server.id, subuser, { others: invited, all: server.subusers }, conditions)
    : await servers.subusers.remove(server.id, subuser, conditions);
  if (!removed) throw await explainRefusal(deps, server.id, (current) => goneCause(findSubuser(current, subuserId)));
  const gone = new Set((withInvited ? [subuser, ...invited] : [subuser]).flatMap(({ userId }) => userId ?? []));
  const made = (await schedules.ofServer(server.id)).filter(({ authorId }) => gone.has(authorId));
  return { invited, schedulesCount: made.length };
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
