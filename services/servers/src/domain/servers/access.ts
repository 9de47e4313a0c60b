import { type Actor, actorHas } from '@panel/rpc';
import type { ServerPermission } from '@panel/protos/servers';
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
 * `servers.view` what only reads; our own processes everything; for everybody else the server does not exist (null).
 */
export function accessTo(server: Pick<GameServer, 'userId'>, actor: Actor): Access | null {
  const isOwner = actor.kind === 'user' && actor.userId === server.userId;
  const isEditor = actorHas(actor, 'servers.update');
  const isViewer = isEditor || actorHas(actor, 'servers.view');
  if (isOwner || isEditor) return { isOwner, isStaff: isViewer, permissions: ['*'] };
  return isViewer ? { isOwner, isStaff: true, permissions: readOnly } : null;
}

export function allows({ permissions }: Access, permission: ServerPermission): boolean {
  return permissions.includes('*') || permissions.includes(permission);
}

/** As for a random id. */
export function serverNotFound() {
  return fail('SERVER_NOT_FOUND', 'no such server');
}

/** The actor's access to a server that was looked up. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export function requireAccess(
  server: Pick<GameServer, 'userId'> | null,
  actor: Actor,
  permission?: ServerPermission,
): Access {
  const access = server && accessTo(server, actor);
  if (!access) throw serverNotFound();
  if (permission !== undefined && !allows(access, permission)) {
    throw fail('SERVER_FORBIDDEN', `this needs the right ${permission}`, { permission });
  }
  return access;
}
