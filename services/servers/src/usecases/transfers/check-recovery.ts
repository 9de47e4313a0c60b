import { invalidFields, isUnavailable } from '@panel/kit/errors';
import { Backup_State } from '@panel/protos/files';
import type { GrantSigner } from '@panel/rpc';
import type { GameNode } from '../../domain/nodes/node.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { NodeFiles } from '../../node-clients/files.js';
import type { Runtimes } from '../../node-clients/runtimes.js';
import { fail } from '../../reasons.js';
import { requireRoom } from '../../domain/nodes/require-room.js';

interface RecoveryDeps {
  readonly files: NodeFiles;
  readonly grants: Pick<GrantSigner, 'sign'>;
  readonly runtimes: Pick<Runtimes, 'of'>;
}

interface RecoveryPlan {
  readonly source: GameNode;
  readonly target: GameNode;
  readonly backupId: string;
}

/**
 * The node is gone, the target reaches the backup, and there is room. Fails a backup that the node was making. Throws
 * NODE_ANSWERS, INVALID_FIELDS, BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, BACKUP_OUT_OF_REACH, NODE_DISK_FULL,
 * NODE_UNREACHABLE, SERVICE_UNAVAILABLE.
 */
export async function checkRecovery(
  deps: RecoveryDeps,
  server: GameServer,
  { source, target, backupId }: RecoveryPlan,
): Promise<void> {
  const { files, grants, runtimes } = deps;
  if (files.isShared(source, target)) {
    throw invalidFields({ node_id: ['has the files of the server already: its node shares them'] });
  }
  if (await answers(deps, source, server)) {
    const message = `the node ${source.name} answers: transfer the server with its files, without backup_id`;
    throw fail('NODE_ANSWERS', message, { node_id: source.id });
  }
  const [{ backup, isWithinReach }, free] = await Promise.all([
    files.getBackup(target, grants, server.id, backupId),
    files.freeBytes(target),
    runtimes.of(target).ping(),
  ]);
  if (backup.state !== Backup_State.COMPLETED) {
    throw fail('BACKUP_NOT_COMPLETED', 'only a completed backup can be restored');
  }
  if (!isWithinReach) {
    const message = `the node ${target.name} does not reach the backup: it is on the disk of another node, or in a bucket or repository of others`;
    throw fail('BACKUP_OUT_OF_REACH', message, { node_id: target.id, backup_id: backupId });
  }
  requireRoom(backup.contentBytes, free);
  if (server.backup) {
    const lost = { serverId: server.id, backupId: server.backup.id, reason: 'NODE_LOST', message: 'its node is gone' };
    await (await files.backups(target)).failBackup(lost);
  }
}

/** Both its engine and its files. */
async function answers({ files, runtimes }: RecoveryDeps, node: GameNode, server: GameServer): Promise<boolean> {
  try {
    await Promise.all([files.measure(node, server), runtimes.of(node).ping()]);
    return true;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return false;
  }
}
