import { type CallOptions, grants } from '@panel/rpc';
import { GetServerRequest, type Server, type ServerPermission } from '@panel/protos/servers';
import { fail, notFound } from '../reasons.js';
import type { Services } from '../services.js';

/**
 * Load a server on which the caller of `rpc` has one of `permissions`; an empty list accepts any access.
 * Throws SERVER_NOT_FOUND without access and PERMISSION_MISSING without the permission.
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
