import { AppError } from '@panel/kit/errors';
import type { RpcPermission } from '@panel/protos/permissions';
import { type Actor, actorHas, grants, requirePermission, requireUser } from './auth/actor.js';

/**
 * The gate before every handler. A row with `server` or `grant` passes every user, because those permissions require a
 * read. Throws UNAUTHENTICATED (USER_REQUIRED), PERMISSION_DENIED (SERVICE_REQUIRED, PERMISSION_MISSING).
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

export interface Caller {
  readonly actor: Actor;
  readonly permission: RpcPermission;
}

/** By the row's admin permission. */
export function isStaff({ actor, permission }: Caller): boolean {
  return permission.admin !== undefined && actorHas(actor, permission.admin);
}

/** Throws PERMISSION_DENIED (PERMISSION_MISSING). */
export function requireStaff(caller: Caller): void {
  if (!isStaff(caller)) requirePermission(caller.actor, caller.permission.admin ?? '*');
}
