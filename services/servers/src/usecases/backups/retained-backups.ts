import { isUnavailable } from '@panel/kit/errors';
import type { Backup, RetainedBackup } from '@panel/protos/files';
import type { ServersContext } from '../../context.js';
import type { GameNode } from '../../domain/nodes/node.js';
import { fail } from '../../reasons.js';
import { otherFilesAddress } from '../../node-clients/other-files-address.js';

type Deps = Pick<ServersContext, 'stores' | 'files'>;

const deleteMs = 9_000;

/** Backups of deleted servers, or one of them, from any files service. Throws SERVICE_UNAVAILABLE. */
export async function listRetainedBackups(deps: Deps, backupId = ''): Promise<RetainedBackup[]> {
  const usual = { filesAddress: '' };
  try {
    return await deps.files.retainedBackups(usual, backupId);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const filesAddress = await otherFilesAddress(deps, deps.files.addressOf(usual));
    if (filesAddress === null) throw error;
    return deps.files.retainedBackups({ filesAddress }, backupId);
  }
}

/** Throws BACKUP_NOT_FOUND, BACKUP_IN_USE, NODE_NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function deleteRetainedBackup(deps: Deps, backupId: string): Promise<void> {
  const { backup, node } = await loadKept(deps, backupId);
  const client = await deps.files.backups(node);
  await client.deleteBackup({ serverId: backup.serverId, backupId }, { timeoutMs: deleteMs });
}

/** Signs a short-lived grant. Throws BACKUP_NOT_FOUND, NODE_NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function grantRetainedBackup(
  { grants, ...deps }: Deps & Pick<ServersContext, 'grants'>,
  backupId: string,
): Promise<{ filesAddress: string; grant: string }> {
  const { backup, node } = await loadKept(deps, backupId);
  const volume = `servers/${backup.serverId}`;
  const rights = { serverId: backup.serverId, permission: 'backup.download', volume, diskLimitBytes: 0 };
  return { filesAddress: await deps.files.checkedAddressOf(node), grant: grants.sign({ ...rights, denylist: [] }) };
}

async function loadKept(
  { files, stores }: Deps,
  backupId: string,
): Promise<{ readonly backup: Backup; readonly node: GameNode }> {
  const [kept] = await listRetainedBackups({ files, stores }, backupId);
  if (!kept?.backup) throw fail('BACKUP_NOT_FOUND', 'no deleted server has left such a backup');
  const node = await stores.nodes.get(kept.nodeId);
  if (!node) throw fail('NODE_NOT_FOUND', 'the node of the backup was deleted', { node_id: kept.nodeId });
  return { backup: kept.backup, node };
}
