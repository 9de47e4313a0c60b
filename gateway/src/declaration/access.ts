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
  /** By role. */
  | { readonly kind: 'admin'; readonly permission: AdminPermission }
  /** One of the permissions on server `{id}`; empty: any access. */
  | { readonly kind: 'server'; readonly permissions: readonly ServerPermission[] };

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
export function admin(method: RpcMethod): Access {
  return { kind: 'admin', permission: required(method, rpcPermissionOf(method).admin, 'admin') };
}

/** Throws without a server permission in the row. */
export function server(method: RpcMethod): Access {
  const row = rpcPermissionOf(method);
  const granted = row.grant === undefined ? undefined : [row.grant];
  return { kind: 'server', permissions: required(method, row.server ?? granted, 'server') };
}

/** Permission of the grant for a files RPC. Throws if the row has none. */
export function grantPermission(method: RpcMethod): ServerPermission {
  return required(method, rpcPermissionOf(method).grant, 'grant');
}

function required<T>({ path }: RpcMethod, value: T | undefined, alternative: keyof RpcPermission): T {
  if (value === undefined) throw new Error(`the row of ${path} has no ${alternative} permission`);
  return value;
}
