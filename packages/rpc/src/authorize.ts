import { AppError } from '@panel/kit/errors';
import type { RpcPermission } from '@panel/protos/permissions';
import { type Actor, actorHas, grants, requirePermission, requireUser } from './auth/actor.js';

/**
 * The gate before every handler. Services may call everything. A row with `server` or `grant` passes every user,
 * because those permissions require a read.
 *
 * Throws UNAUTHENTICATED (USER_REQUIRED) for anonymous callers, PERMISSION_DENIED (SERVICE_REQUIRED,
 * PERMISSION_MISSING).
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

/** The actor, and the row of the called RPC. */
export interface Caller {
  readonly actor: Actor;
  readonly permission: RpcPermission;
}

/** Whether the row has an admin permission that the actor holds. */
export function isStaff({ actor, permission }: Caller): boolean {
  return permission.admin !== undefined && actorHas(actor, permission.admin);
}

/** For requests that need the row's admin permission. Throws PERMISSION_DENIED (PERMISSION_MISSING). */
export function requireStaff(caller: Caller): void {
  if (!isStaff(caller)) requirePermission(caller.actor, caller.permission.admin ?? '*');
}
