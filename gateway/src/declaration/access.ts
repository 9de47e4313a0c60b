import type { AdminPermission } from '@panel/protos/identity';
import type { ServerPermission } from '@panel/protos/servers';

/** Who may use a route. */
export type Access =
  /** Anybody; credentials are ignored. */
  | { readonly kind: 'public' }
  /** Any authenticated caller. */
  | { readonly kind: 'account' }
  /** Callers whose role has the permission. */
  | { readonly kind: 'admin'; readonly permission: AdminPermission }
  /** Callers with one of the permissions on the server `{id}`; an empty list accepts any access to it. */
  | { readonly kind: 'server'; readonly permissions: readonly ServerPermission[] };

export const publicAccess: Access = { kind: 'public' };
export const account: Access = { kind: 'account' };
export const admin = (permission: AdminPermission): Access => ({ kind: 'admin', permission });
export const server = (...permissions: ServerPermission[]): Access => ({ kind: 'server', permissions });
