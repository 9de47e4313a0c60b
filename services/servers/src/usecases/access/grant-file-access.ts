import { invalidFields, fieldProblem, isAppError, isUnavailable } from '@panel/kit/errors';
import type { ServerPermission } from '@panel/protos/permissions';
import { type Caller, dumpDirectory, type PathRule } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type Access, allows, requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { GameServer } from '../../domain/servers/server.js';
import { placeOfBackup } from '../../node-clients/backup-place.js';
import type { FilesNode } from '../../node-clients/files.js';
import { otherFilesAddress } from '../../node-clients/other-files-address.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

/** The volume holds dumps during backups and restores with databases. */
const noDumps: readonly PathRule[] = [{ path: `/${dumpDirectory}`, access: 'deny' }];

const shortId = /^[0-9a-f]{8}$/;

type GrantDeps = Pick<ServersContext, 'stores' | 'files' | 'grants'>;

export interface FileAccess {
  readonly filesAddress: string;
  readonly grant: string;
  readonly publicUrl: string;
}

interface AccessRequest {
  readonly serverId: string;
  readonly permission: ServerPermission | undefined;
  readonly unreachableAddress?: string | undefined;
  /** The named files service reaches its bytes. */
  readonly backupId?: string | undefined;
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, as `signGrant`, and for a backup as `placeOfBackup`.
 */
export async function grantFileAccess(
  context: GrantDeps,
  { serverId, permission, unreachableAddress, backupId }: AccessRequest,
  caller: Caller,
): Promise<FileAccess> {
  const { server, access } = await loadServer(context, serverId, caller, permission);
  const granted = await signGrant(context, server, permission, access, unreachableAddress);
  if (backupId === undefined) return granted;
  const { place } = await placeOfBackup(context, await nodeOf(context, server), { serverId: server.id, backupId });
  return { ...granted, filesAddress: await context.files.checkedAddressOf(place) };
}

/** Throws as `grantFileAccess`. */
export async function grantSftpAccess(
  context: GrantDeps,
  serverShortId: string,
  caller: Caller,
): Promise<{ serverId: string; permissions: readonly string[]; grant: string }> {
  const { servers } = context.stores;
  const serverId = shortId.test(serverShortId) ? await servers.findIdByShortId(serverShortId) : null;
  if (serverId === null) throw serverNotFound();
  const { server, access } = await loadServer(context, serverId, caller);
  const { grant } = await signGrant(context, server, 'file.sftp', access);
  return { serverId, permissions: access.permissions, grant };
}

/** For a files service that reaches its bytes. Throws BACKUP_NOT_FOUND, BACKUP_OUT_OF_REACH, and as `grantFileAccess`. */
export async function grantBackupDownload(
  context: GrantDeps,
  { serverId, backupId }: { readonly serverId: string; readonly backupId: string },
  caller: Caller,
): Promise<FileAccess> {
  const { server, access } = await loadServer(context, serverId, caller);
  const granted = await signGrant(context, server, 'backup.download', access);
  const { backup, place } = await placeOfBackup(context, await nodeOf(context, server), { serverId, backupId });
  // As for exports.
  if (backup.databases.length > 0) requireAccess(server, caller, 'database.view_password');
  return { ...granted, filesAddress: await context.files.checkedAddressOf(place) };
}

/**
 * Signs a short-lived grant for one kind of file work: file bytes bypass this service. It excludes dumps without the
 * export permission. Throws INVALID_FIELDS, SERVER_LOCKED, SERVER_SUSPENDED, NODE_UNREACHABLE, DATA_ROOT_GONE,
 * FILES_ADDRESS_FORBIDDEN.
 */
async function signGrant(
  context: GrantDeps,
  server: GameServer,
  permission: ServerPermission | undefined,
  access: Access,
  unreachableAddress = '',
): Promise<FileAccess> {
  const isForFiles = permission?.startsWith('file.') || permission?.startsWith('backup.');
  if (!permission || !isForFiles)
    throw invalidFields({ permission: [fieldProblem('not_found', 'is no right to files')] });
  checkUnlocked(server);
  const hidesDumps = permission.startsWith('file.') && !allows(access, 'database.view_password');
  const node = await nodeOf(context, server);
  await requireOwnFiles(context, node);
  const grant = context.grants.sign({
    serverId: server.id,
    ownerId: server.userId,
    permission,
    volume: `servers/${server.id}`,
    diskLimitBytes: server.limits.diskMb * 1024 * 1024,
    uploadLimitBytes: node.uploadLimitMb * 1024 * 1024,
    denylist: server.egg.fileDenylist,
    pathRules: hidesDumps && server.databaseIds.length > 0 ? [...access.pathRules, noDumps] : access.pathRules,
  });
  const filesAddress = await context.files.checkedAddressOf(node);
  if (filesAddress !== unreachableAddress) return { filesAddress, grant, publicUrl: node.publicUrl };
  const other = await otherFilesAddress(context, filesAddress);
  return { filesAddress: other ?? filesAddress, grant, publicUrl: other === null ? node.publicUrl : '' };
}

/** As for starts. A service that does not answer says nothing of its files: its caller may turn to another one. */
async function requireOwnFiles({ files }: GrantDeps, node: FilesNode): Promise<void> {
  try {
    await files.requireUsable(node);
  } catch (error) {
    if (!isUnavailable(error) || isAppError(error, 'NODE_UNREACHABLE', 'DATA_ROOT_GONE')) throw error;
  }
}
