import { type Actor, actorHas, type Caller, grants, isStaff, type PathRule } from '@panel/rpc';
import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';
import { fail } from '../../reasons.js';
import { viewerPermissions } from '../subusers/roles.js';
import { type AccessFacts, pathRulesOf, permissionsOf, type Subuser } from '../subusers/subuser.js';

/** What staff with `servers.view` may do: what a viewer may, and see the subusers. */
const readOnly: readonly ServerPermission[] = [...viewerPermissions, 'user.read'];

/** An actor's place with a server. */
export interface Access {
  readonly isOwner: boolean;
  /** May see every field, also the hidden variables. */
  readonly isStaff: boolean;
  /** "*", or some of `serverPermissions`. */
  readonly permissions: readonly string[];
  /** Lists of rules that all have to allow a file; none for owner and staff. */
  readonly pathRules: readonly (readonly PathRule[])[];
  /** The subuser by which the actor has access; absent for owner and staff. */
  readonly subuser?: Pick<Subuser, 'id' | 'revision' | 'expiresAt'>;
}

/**
 * The one rule of who may do what with a server: its owner everything; staff with `servers.update` everything, with
 * `servers.view` what only reads; our own processes everything; subusers what was granted to them; for all others the
 * server does not exist (null). The list of an API key narrows all of it. The stores leave out subusers whose access has
 * ended.
 */
export function accessTo(server: AccessFacts, actor: Actor): Access | null {
  const isOwner = actor.kind === 'user' && actor.userId === server.userId;
  const isEditor = actorHas(actor, 'servers.update');
  const isViewer = isEditor || actorHas(actor, 'servers.view');
  if (isOwner || isEditor) {
    return { isOwner, isStaff: isViewer, permissions: narrow(serverPermissions, actor) ?? ['*'], pathRules: [] };
  }
  const subuser = actor.kind === 'user' && server.subusers.find(({ userId }) => userId === actor.userId);
  if (!subuser) {
    return isViewer
      ? { isOwner, isStaff: true, permissions: narrow(readOnly, actor) ?? readOnly, pathRules: [] }
      : null;
  }
  const held = [...new Set([...permissionsOf(subuser), ...(isViewer ? readOnly : [])])];
  return {
    isOwner,
    isStaff: isViewer,
    permissions: narrow(held, actor) ?? held,
    pathRules: pathRulesOf(subuser),
    subuser,
  };
}

/** Those permissions that the list of the caller's API key allows; null when no list narrows them. */
function narrow(permissions: readonly ServerPermission[], actor: Actor): readonly ServerPermission[] | null {
  const list = actor.kind === 'user' ? actor.keyPermissions : undefined;
  return list ? permissions.filter((permission) => grants(list, permission)) : null;
}

export function allows({ permissions }: Access, permission: ServerPermission): boolean {
  return permissions.includes('*') || permissions.includes(permission);
}

/** As for a random id. */
export function serverNotFound() {
  return fail('SERVER_NOT_FOUND', 'no such server');
}

/**
 * The caller's access to a server that was looked up, if the row of the RPC allows the call: one of its server
 * permissions, or its admin permission. `exact` names the permission where the request decides which of the row it needs.
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN.
 */
export function requireAccess(server: AccessFacts | null, caller: Caller, exact?: ServerPermission): Access {
  const staff: Access | null = isStaff(caller)
    ? { isOwner: false, isStaff: true, permissions: [], pathRules: [] }
    : null;
  const access = server && (accessTo(server, caller.actor) ?? staff);
  if (!access) throw serverNotFound();
  const wanted = exact === undefined ? (caller.permission.server ?? []) : [exact];
  const isAllowed = wanted.length === 0 || wanted.some((permission) => allows(access, permission));
  if (isAllowed || (staff && exact === undefined)) return access;
  throw fail('SERVER_FORBIDDEN', `this needs the right ${wanted.join(' or ')}`, { permission: wanted[0] });
}
