import { rpcPermissionOf, type ServerPermission } from '@panel/protos/permissions';
import { GetServerRequest, type Server } from '@panel/protos/servers';
import { type CallOptions, grants } from '@panel/rpc';
import { fail, notFound } from '../reasons.js';
import type { Services } from '../services.js';

export interface Granted {
  readonly role: readonly string[];
  readonly server: readonly string[];
}

/** Alternatives: one suffices. */
export function serverPermissionsOf(method: { readonly path: string }): readonly ServerPermission[] {
  return rpcPermissionOf(method).server ?? [];
}

/** About the server of `granted.server`. */
export function mayCall(method: { readonly path: string }, granted: Granted): boolean {
  const { admin, server = [] } = rpcPermissionOf(method);
  if (admin !== undefined && grants(granted.role, admin)) return true;
  return server.some((permission) => grants(granted.server, permission));
}

/**
 * `rpc`'s caller needs one of `permissions`; empty: any access. Throws SERVER_NOT_FOUND without access,
 * PERMISSION_MISSING.
 */
export async function getAccessibleServer(
  services: Pick<Services, 'servers'>,
  serverId: string,
  permissions: readonly ServerPermission[],
  rpc: CallOptions,
): Promise<Server> {
  const { server } = await services.servers.getServer(GetServerRequest.create({ serverId, asStaff: false }), rpc);
  if (!server) throw notFound();
  if (permissions.length > 0 && !permissions.some((permission) => grants(server.permissions, permission))) {
    throw fail('PERMISSION_MISSING', 'the permission is not granted on this server');
  }
  return server;
}
