import type { ServerPermission } from '@panel/protos/permissions';
import type { Access } from '../servers/access.js';
import type { SubuserFields } from './check-subuser.js';
import { requireWithinOwn } from './grant-limits.js';
import { findBuiltInRole, findRole, type SubuserRole } from './roles.js';

export interface GrantRequest {
  readonly permissions: readonly string[];
  /** Empty: none. */
  readonly roleId: string;
}

interface ResolvedGrant {
  readonly roleId: string | null;
  readonly permissions: readonly ServerPermission[];
  /** Only a role of the server, which may change. */
  readonly role?: SubuserRole | undefined;
}

/** Adds problems to `fields`. Throws SUBUSER_EXCEEDS_OWN, INVALID_FIELDS. */
export function resolveGrant(
  { server, access }: { readonly server: { readonly subuserRoles: readonly SubuserRole[] }; readonly access: Access },
  { permissions, roleId }: GrantRequest,
  fields: SubuserFields,
): ResolvedGrant {
  if (roleId === '') {
    const named = fields.permissions(permissions);
    fields.require();
    requireWithinOwn(access, named);
    return { roleId: null, permissions: named };
  }
  const role = findRole(server.subuserRoles, roleId);
  fields.refuse(permissions.length > 0, 'permissions', 'cannot be given with role');
  fields.refuse(!role, 'role', 'is no role of this server');
  fields.require();
  const held = role?.permissions ?? [];
  requireWithinOwn(access, held);
  return { roleId, permissions: held, role: findBuiltInRole(roleId) ? undefined : role };
}
