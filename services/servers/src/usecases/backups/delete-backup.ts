import type { Backup } from '@panel/protos/files';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { atAnyFiles } from '../../node-clients/backup-place.js';
import type { FilesNode } from '../../node-clients/files.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

/** Deletion from a bucket or repository is slow. */
const deleteMs = 9_000;
const callMs = 5_000;

interface BackupIds {
  readonly serverId: string;
  readonly backupId: string;
}

/**
 * Also while the node is unavailable, which removes what only it reaches once it recovers. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED, BACKUP_NOT_FOUND, BACKUP_LOCKED, BACKUP_IN_USE,
 * SERVICE_UNAVAILABLE.
 */
export async function deleteBackup(
  context: Pick<ServersContext, 'stores' | 'files'>,
  { serverId, backupId }: BackupIds,
  caller: Caller,
): Promise<void> {
  const { server } = await loadServer(context, serverId, caller);
  checkUnlocked(server);
  const request = { serverId: server.id, backupId };
  await atAnyFiles(context, await nodeOf(context, server), async (place) =>
    (await context.files.backups(place)).deleteBackup(request, { timeoutMs: deleteMs }),
  );
}

/**
 * Without `isLocked` it toggles. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED,
 * BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED.
 */
export async function setBackupLock(
  context: Pick<ServersContext, 'stores' | 'files'>,
  { serverId, backupId, isLocked }: BackupIds & { readonly isLocked?: boolean | undefined },
  caller: Caller,
): Promise<Backup | undefined> {
  const { server } = await loadServer(context, serverId, caller);
  checkUnlocked(server);
  const node = await nodeOf(context, server);
  const request = { serverId: server.id, backupId, isLocked };
  const setLock = async (place: FilesNode) =>
    (await (await context.files.backups(place)).setBackupLock(request, { timeoutMs: callMs })).backup;
  // A repeated toggle would undo it.
  return isLocked === undefined ? setLock(node) : atAnyFiles(context, node, setLock);
}
