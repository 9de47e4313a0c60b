import { AppError } from '@panel/kit/errors';
import type { RpcPermission } from '@panel/protos/permissions';
import { type Actor, actorHas, grants, requirePermission, requireUser } from './auth/actor.js';

/**
 * The gate before every handler: who may call an RPC at all. Services may call everything. A row with `server` or `grant`
 * lets every user pass, because what they hold on the server or in the grant is known only after it is read.
 *
 * Throws UNAUTHENTICATED (USER_REQUIRED) for the unknown, PERMISSION_DENIED (SERVICE_REQUIRED, PERMISSION_MISSING).
 */
export function authorizeCall(row: RpcPermission, actor: Actor): void {
  if (row.isPublic || actor.kind === 'service') return;
  if (Object.keys(row).length === 0) {
    throw new AppError('permission_denied', 'SERVICE_REQUIRED', 'only services may call this');
  }
  const user = requireUser(actor);
  if (row.server !== undefined || row.grant !== undefined) return;
  if (row.admin !== undefined && actorHas(user, row.admin)) return;
  const { keyPermissions } = user;
  if (row.account !== undefined && (!keyPermissions || grants(keyPermissions, row.account))) return;
  const permission = row.admin ?? row.account;
  throw new AppError('permission_denied', 'PERMISSION_MISSING', `this needs the permission ${permission}`, {
    permission,
  });
}

/** Who calls, and the row of the called RPC. */
export interface Caller {
  readonly actor: Actor;
  readonly permission: RpcPermission;
}

/** Whether the call is made as staff: the row has an admin permission, and the actor holds it. */
export function isStaff({ actor, permission }: Caller): boolean {
  return permission.admin !== undefined && actorHas(actor, permission.admin);
}

/** For requests that only the admin permission of the row allows. Throws PERMISSION_DENIED (PERMISSION_MISSING). */
export function requireStaff(caller: Caller): void {
  if (!isStaff(caller)) requirePermission(caller.actor, caller.permission.admin ?? '*');
}
