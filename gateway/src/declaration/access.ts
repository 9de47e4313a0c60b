import {
  type AccountPermission,
  type AdminPermission,
  type RpcPermission,
  rpcPermissionOf,
  type ServerPermission,
} from '@panel/protos/permissions';

export type Access =
  /** Credentials are ignored. */
  | { readonly kind: 'public' }
  /** Authenticated; a restricted API key needs the permission. */
  | { readonly kind: 'account'; readonly permission: AccountPermission | null }
  /** By role; `also` all of these. */
  | { readonly kind: 'admin'; readonly permission: AdminPermission; readonly also?: readonly AdminPermission[] }
  /** One of the permissions on server `{id}`; empty: any access. `also` all of these, which the service checks. */
  | {
      readonly kind: 'server';
      readonly permissions: readonly ServerPermission[];
      readonly also?: readonly ServerPermission[];
    };

export interface RpcMethod {
  readonly path: string;
}

export const publicAccess: Access = { kind: 'public' };

/*
 * The row of a route's RPC in the permission table gives the right. Alternatives in a row serve several routes:
 * account, server, admin.
 */

/** Own data. */
export function account(method: RpcMethod): Access {
  return { kind: 'account', permission: rpcPermissionOf(method).account ?? null };
}

/** Staff. Throws without an admin permission in the row. */
export function admin(method: RpcMethod, ...also: readonly AdminPermission[]): Access {
  const permission = required(method, rpcPermissionOf(method).admin, 'admin');
  return { kind: 'admin', permission, ...(also.length > 0 ? { also } : {}) };
}

/** Throws without a server permission in the row. */
export function server(method: RpcMethod, ...also: readonly ServerPermission[]): Access {
  const row = rpcPermissionOf(method);
  const granted = row.grant === undefined ? undefined : [row.grant];
  const permissions = required(method, row.server ?? granted, 'server');
  return { kind: 'server', permissions, ...(also.length > 0 ? { also } : {}) };
}

/** Permission of the grant for a files RPC. Throws if the row has none. */
export function grantPermission(method: RpcMethod): ServerPermission {
  return required(method, rpcPermissionOf(method).grant, 'grant');
}

function required<T>({ path }: RpcMethod, value: T | undefined, alternative: keyof RpcPermission): T {
  if (value === undefined) throw new Error(`the row of ${path} has no ${alternative} permission`);
  return value;
}
