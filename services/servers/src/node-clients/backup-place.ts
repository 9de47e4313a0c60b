import { isUnavailable } from '@panel/kit/errors';
import type { Backup } from '@panel/protos/files';
import type { GrantSigner } from '@panel/rpc';
import type { NodeStore } from '../models/nodes/node.js';
import { fail } from '../reasons.js';
import type { FilesNode, NodeFiles } from './files.js';
import { otherFilesAddress } from './other-files-address.js';

interface PlaceDeps {
  readonly stores: { readonly nodes: Pick<NodeStore, 'all'> };
  readonly files: NodeFiles;
}

/** Runs at the node, or while that is away at another files service: records are common to all. */
export async function atAnyFiles<T>(
  deps: PlaceDeps,
  node: FilesNode,
  work: (place: FilesNode) => Promise<T>,
): Promise<T> {
  try {
    return await work(node);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const filesAddress = await otherFilesAddress(deps, deps.files.addressOf(node));
    if (filesAddress === null) throw error;
    return work({ filesAddress });
  }
}

interface BackupPlace {
  readonly backup: Backup;
  /** Reads its bytes. */
  readonly place: FilesNode;
}

/**
 * The node that has a backup's bytes, or while that is away one that reaches its bucket or repository. Throws
 * BACKUP_NOT_FOUND, BACKUP_OUT_OF_REACH, SERVICE_UNAVAILABLE.
 */
export async function placeOfBackup(
  { grants, ...deps }: PlaceDeps & { readonly grants: Pick<GrantSigner, 'sign'> },
  node: FilesNode,
  { serverId, backupId }: { readonly serverId: string; readonly backupId: string },
): Promise<BackupPlace> {
  let absence: unknown = null;
  return atAnyFiles(deps, node, async (place) => {
    const { backup, isWithinReach } = await deps.files.getBackup(place, grants, serverId, backupId).catch((error) => {
      absence ??= error;
      throw error;
    });
    if (isWithinReach) return { backup, place };
    throw absence ?? fail('BACKUP_OUT_OF_REACH', 'the backup is on the disk of another node, or in a bucket of others');
  });
}
