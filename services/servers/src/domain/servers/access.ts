import { type Actor, actorHas, type Caller, grants, isStaff } from '@panel/rpc';
import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';
import { fail } from '../../reasons.js';
import type { GameServer } from './server.js';

/** What staff who may only look may see. */
const readOnly: readonly ServerPermission[] = [
  'websocket.connect',
  'user.read',
  'file.read',
  'file.read-content',
  'backup.read',
  'allocation.read',
  'startup.read',
  'database.read',
  'schedule.read',
  'activity.read',
];

/** An actor's place with a server. */
export interface Access {
  readonly isOwner: boolean;
  /** May see every field, also the hidden variables. */
  readonly isStaff: boolean;
  /** "*", or some of `serverPermissions`. */
  readonly permissions: readonly string[];
}

/**
 * The one rule of who may do what with a server: its owner everything; staff with `servers.update` everything, with
 * `servers.view` what only reads; our own processes everything; for everybody else the server does not exist (null). The
 * list of an API key narrows all of it.
 */
export function accessTo(server: Pick<GameServer, 'userId'>, actor: Actor): Access | null {
  const isOwner = actor.kind === 'user' && actor.userId === server.userId;
  const isEditor = actorHas(actor, 'servers.update');
  const isViewer = isEditor || actorHas(actor, 'servers.view');
  if (isOwner || isEditor)
    return { isOwner, isStaff: isViewer, permissions: narrow(serverPermissions, actor) ?? ['*'] };
  return isViewer ? { isOwner, isStaff: true, permissions: narrow(readOnly, actor) ?? readOnly } : null;
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
export function requireAccess(
  server: Pick<GameServer, 'userId'> | null,
  caller: Caller,
  exact?: ServerPermission,
): Access {
  const staff: Access | null = isStaff(caller) ? { isOwner: false, isStaff: true, permissions: [] } : null;
  const access = server && (accessTo(server, caller.actor) ?? staff);
  if (!access) throw serverNotFound();
  const wanted = exact === undefined ? (caller.permission.server ?? []) : [exact];
  const isAllowed = wanted.length === 0 || wanted.some((permission) => allows(access, permission));
  if (isAllowed || (staff && exact === undefined)) return access;
  throw fail('SERVER_FORBIDDEN', `this needs the right ${wanted.join(' or ')}`, { permission: wanted[0] });
}
