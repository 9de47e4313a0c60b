import type { Backup, RetainedBackup } from '@panel/protos/files';
import type { ServersContext } from '../../context.js';
import { atAnyFiles, placeOfBackup } from '../../node-clients/backup-place.js';
import type { FilesNode } from '../../node-clients/files.js';
import { fail } from '../../reasons.js';

type Deps = Pick<ServersContext, 'stores' | 'files'>;

const deleteMs = 9_000;
/** Any. */
const usual = { filesAddress: '' };

/** Backups of deleted servers, or one of them, from any files service. Throws SERVICE_UNAVAILABLE. */
export async function listRetainedBackups(deps: Deps, backupId = ''): Promise<RetainedBackup[]> {
  return atAnyFiles(deps, usual, async (place) => deps.files.retainedBackups(place, backupId));
}

/** Throws BACKUP_NOT_FOUND, BACKUP_IN_USE, SERVICE_UNAVAILABLE. */
export async function deleteRetainedBackup(deps: Deps, backupId: string): Promise<void> {
  const { backup, node } = await loadRetained(deps, backupId);
  const request = { serverId: backup.serverId, backupId };
  await atAnyFiles(deps, node, async (place) =>
    (await deps.files.backups(place)).deleteBackup(request, { timeoutMs: deleteMs }),
  );
}

/** Signs a short-lived grant. Throws BACKUP_NOT_FOUND, NODE_NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function grantRetainedBackup(
  { grants, ...deps }: Deps & Pick<ServersContext, 'grants'>,
  backupId: string,
): Promise<{ filesAddress: string; grant: string }> {
  const { backup, node } = await loadRetained(deps, backupId);
  const { serverId } = backup;
  const { place } = await placeOfBackup({ ...deps, grants }, node, { serverId, backupId });
  const volume = `servers/${serverId}`;
  const rights = { serverId, permission: 'backup.download', volume, diskLimitBytes: 0 };
  return { filesAddress: await deps.files.checkedAddressOf(place), grant: grants.sign({ ...rights, denylist: [] }) };
}

/** `node`: that of the deleted server, or any when it was deleted too. */
async function loadRetained(
  deps: Deps,
  backupId: string,
): Promise<{ readonly backup: Backup; readonly node: FilesNode }> {
  const [retained] = await listRetainedBackups(deps, backupId);
  if (!retained?.backup) throw fail('BACKUP_NOT_FOUND', 'no deleted server has left such a backup');
  return { backup: retained.backup, node: (await deps.stores.nodes.get(retained.nodeId)) ?? usual };
}
