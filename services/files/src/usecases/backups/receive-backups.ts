import { createHash } from 'node:crypto';
import { blobKey } from '../../backups/archive-storage.js';
import type { Backup } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import type { BackupsContext } from './backups-context.js';

export interface ReceiveRequest {
  readonly serverId: string;
  readonly sourceAddress: string;
  readonly grant: string;
}

/**
 * Copy the completed backups of a server to this node that lie on the disk of another one, and verify each. Reports the
 * number received. What has arrived stays for the next call. Throws SOURCE_UNAVAILABLE, BACKUP_DAMAGED, DISK_FULL.
 */
export async function* receiveBackups(
  context: BackupsContext,
  { serverId, sourceAddress, grant }: ReceiveRequest,
  signal: AbortSignal,
): AsyncGenerator<{ received: number; total: number }> {
  const { store, nodeId, exporter, diskBlobs } = context;
  const isForeign = ({ storage, state, nodeIds }: Backup) =>
    storage === 'node' && state === 'completed' && !nodeIds.includes(nodeId);
  const wanted = (await store.list(serverId)).filter(isForeign);
  const progress = { received: 0, total: wanted.length };
  yield { ...progress };
  for (const backup of wanted) {
    const hash = createHash('sha256');
    const hashed = async function* () {
      for await (const { chunk } of exporter(sourceAddress).exportBackup({ grant, backupId: backup.id }, { signal })) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await diskBlobs.put(blobKey(backup), hashed(), signal);
    if (`sha256:${hash.digest('hex')}` !== backup.checksum) {
      await diskBlobs.delete(blobKey(backup));
      throw fail('BACKUP_DAMAGED', 'a backup is damaged on the node it is on', { backup_id: backup.id });
    }
    await store.addNode(backup.id, nodeId);
    progress.received += 1;
    yield { ...progress };
  }
}

/**
 * The volume of a server has left this node, or never came to stay: backups that another node has too are removed here.
 * Those that lie here only stay.
 */
export async function releaseCopies({ store, nodeId, diskBlobs }: BackupsContext, serverId: string): Promise<void> {
  for (const backup of await store.listAll(serverId)) {
    if (backup.storage !== 'node' || backup.nodeIds.length < 2 || !backup.nodeIds.includes(nodeId)) continue;
    await store.removeNode(backup.id, nodeId);
    await diskBlobs.delete(blobKey(backup));
  }
}
