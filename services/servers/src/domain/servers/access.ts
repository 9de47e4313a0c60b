import { type Actor, actorHas, type Caller, grants, isStaff, type PathRule } from '@panel/rpc';
import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';
import { fail } from '../../reasons.js';
import { viewerPermissions } from '../subusers/roles.js';
import { type AccessFacts, pathRulesOf, permissionsOf, type Subuser } from '../subusers/subuser.js';

/** Of staff with `servers.view`. */
const readOnly: readonly ServerPermission[] = [...viewerPermissions, 'user.read'];

export interface Access {
  readonly isOwner: boolean;
  /** Includes hidden variables. */
  readonly isStaff: boolean;
  /** "*", or some of `serverPermissions`. */
  readonly permissions: readonly string[];
  /** All lists must allow a file; none for owner and staff. */
  readonly pathRules: readonly (readonly PathRule[])[];
  /** Absent for owner and staff. */
  readonly subuser?: Pick<Subuser, 'id' | 'revision' | 'expiresAt'>;
}

/**
 * Owner, internal services, staff with `servers.update`: all; staff with `servers.view`: read; subusers: their grants;
 * others: null (no such server). API keys narrow this. The stores omit expired subusers.
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

/** Null: no narrowing. */
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
 * Requires one of the RPC's server permissions (`exact`: the one the request needs) or its admin permission. Throws
 * SERVER_NOT_FOUND, SERVER_FORBIDDEN.
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
  throw forbidden(wanted);
}

/** Of an access that is decided. Throws SERVER_FORBIDDEN. */
export function requirePermission(access: Access, permission: ServerPermission): void {
  if (!allows(access, permission)) throw forbidden([permission]);
}

function forbidden(wanted: readonly ServerPermission[]) {
  return fail('SERVER_FORBIDDEN', `this needs the right ${wanted.join(' or ')}`, { permission: wanted[0] });
}
