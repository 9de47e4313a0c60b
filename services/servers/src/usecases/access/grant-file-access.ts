import { invalidFields } from '@panel/kit/errors';
import type { ServerPermission } from '@panel/protos/servers';
import { dumpDirectory, type PathRule } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type Access, allows } from '../../domain/servers/access.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { otherFilesAddress } from '../../node-clients/other-files-address.js';
import { nodeOf } from '../servers/load-server.js';

/** Dumps lie in the volume while a backup with databases is made or restored. */
const noDumps: readonly PathRule[] = [{ path: `/${dumpDirectory}`, access: 'deny' }];

/**
 * Sign a short-lived right to one kind of file work, so that file bytes do not pass through this service. A caller who
 * may not export databases does not reach dumps of them. Throws
 * INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED, FILES_ADDRESS_FORBIDDEN.
 */
export async function grantFileAccess(
  context: Pick<ServersContext, 'stores' | 'files' | 'grants'>,
  server: GameServer,
  permission: ServerPermission | undefined,
  access: Access,
  unreachableAddress = '',
): Promise<{ filesAddress: string; grant: string; publicUrl: string }> {
  const isForFiles = permission?.startsWith('file.') || permission?.startsWith('backup.');
  if (!permission || !isForFiles) throw invalidFields({ permission: ['is no right to files'] });
  checkUnlocked(server);
  const hidesDumps = permission.startsWith('file.') && !allows(access, 'database.view_password');
  const node = await nodeOf(context, server);
  const grant = context.grants.sign({
    serverId: server.id,
    permission,
    volume: `servers/${server.id}`,
    diskLimitBytes: server.limits.diskMb * 1024 * 1024,
    uploadLimitBytes: node.uploadLimitMb * 1024 * 1024,
    denylist: server.egg.fileDenylist,
    pathRules: hidesDumps && (server.databaseIds ?? []).length > 0 ? [...access.pathRules, noDumps] : access.pathRules,
  });
  const filesAddress = await context.files.checkedAddressOf(node);
  if (filesAddress !== unreachableAddress) return { filesAddress, grant, publicUrl: node.publicUrl };
  const other = await otherFilesAddress(context, filesAddress);
  return { filesAddress: other ?? filesAddress, grant, publicUrl: other === null ? node.publicUrl : '' };
}
