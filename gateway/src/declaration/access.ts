import {
  type AccountPermission,
  type AdminPermission,
  type RpcPermission,
  rpcPermissionOf,
  type ServerPermission,
} from '@panel/protos/permissions';

/** Who may use a route. */
export type Access =
  /** Every caller; credentials are ignored. */
  | { readonly kind: 'public' }
  /** Any authenticated caller; an API key with a list of permissions needs this one on it. */
  | { readonly kind: 'account'; readonly permission: AccountPermission | null }
  /** Callers whose role has the permission. */
  | { readonly kind: 'admin'; readonly permission: AdminPermission }
  /** Callers with one of the permissions on the server `{id}`; an empty list accepts any access to it. */
  | { readonly kind: 'server'; readonly permissions: readonly ServerPermission[] };

/** A method of a generated service definition: the RPC that does the work of a route. */
export interface RpcMethod {
  readonly path: string;
}

export const publicAccess: Access = { kind: 'public' };

/*
 * A route names the RPC that does its work; the right comes from the row of that RPC in the table of permissions. A row
 * with several alternatives serves several routes: the account route, the route of the server, the admin route.
 */

/** Users, about themselves. */
export function account(method: RpcMethod): Access {
  return { kind: 'account', permission: rpcPermissionOf(method).account ?? null };
}

/** Staff. Throws when the row has no admin permission. */
export function admin(method: RpcMethod): Access {
  return { kind: 'admin', permission: required(method, rpcPermissionOf(method).admin, 'admin') };
}

/** Callers who may do this with the server `{id}`. Throws when the row says nothing about servers. */
export function server(method: RpcMethod): Access {
  const row = rpcPermissionOf(method);
  const granted = row.grant === undefined ? undefined : [row.grant];
  return { kind: 'server', permissions: required(method, row.server ?? granted, 'server') };
}

/** The permission of the grant that an RPC of a files service takes. Throws when the row has none. */
export function grantPermission(method: RpcMethod): ServerPermission {
  return required(method, rpcPermissionOf(method).grant, 'grant');
}

function required<T>({ path }: RpcMethod, value: T | undefined, alternative: keyof RpcPermission): T {
  if (value === undefined) throw new Error(`the row of ${path} has no ${alternative} permission`);
  return value;
}
