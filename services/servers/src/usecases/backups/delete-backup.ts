import { isAppError } from '@panel/kit/errors';
import type { Backup } from '@panel/protos/files';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { otherFilesAddress } from '../../node-clients/other-files-address.js';
import { loadServer, nodeOf } from '../servers/load-server.js';

/** Deletion from a bucket or repository is slow. */
const deleteMs = 9_000;
const callMs = 5_000;

export interface BackupIds {
  readonly serverId: string;
  readonly backupId: string;
}

/**
 * Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED, BACKUP_NOT_FOUND, BACKUP_LOCKED,
 * BACKUP_IN_USE, SERVICE_UNAVAILABLE.
 */
export async function deleteBackup(
  context: Pick<ServersContext, 'stores' | 'files'>,
  { serverId, backupId }: BackupIds,
  caller: Caller,
): Promise<void> {
  const { server } = await loadServer(context, serverId, caller);
  checkUnlocked(server);
  const client = await context.files.backups(await nodeOf(context, server));
  await client.deleteBackup({ serverId: server.id, backupId }, { timeoutMs: deleteMs });
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
  const setLock = async (files: typeof node | { filesAddress: string }) =>
    (await (await context.files.backups(files)).setBackupLock(request, { timeoutMs: callMs })).backup;
  try {
    return await setLock(node);
  } catch (error) {
    // Any node's files service can change the lock record. A repeated toggle would undo it.
    if (isLocked === undefined || !isAppError(error) || error.kind !== 'unavailable') throw error;
    const other = await otherFilesAddress(context, context.files.addressOf(node));
    if (other === null) throw error;
    return setLock({ filesAddress: other });
  }
}
