import { isUnavailable } from '@panel/kit/errors';
import type { Backup } from '@panel/protos/files';
import type { GrantSigner } from '@panel/rpc';
import type { GameNode } from '../domain/nodes/node.js';
import type { NodeStore } from '../models/nodes/node.js';
import { fail } from '../reasons.js';
import type { FilesNode, NodeFiles } from './files.js';
import { otherFilesAddress } from './other-files-address.js';

interface PlaceDeps {
  readonly stores: { readonly nodes: Pick<NodeStore, 'all'> };
  readonly files: NodeFiles;
}

/** Runs at the node, or while that is unavailable at another files service: records are common to all. */
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
  /** Has it on its disk, and is another node than the server's; null: `place` was found without it. */
  readonly holder: GameNode | null;
}

/**
 * The node that reaches a backup's bytes: the server's, or the one with the disk that holds them. While the server's node is
 * unavailable, another node that reaches the bucket or repository. Throws BACKUP_NOT_FOUND, BACKUP_OUT_OF_REACH, SERVICE_UNAVAILABLE.
 */
export async function placeOfBackup(
  { grants, ...deps }: PlaceDeps & { readonly grants: Pick<GrantSigner, 'sign'> },
  node: FilesNode,
  { serverId, backupId }: { readonly serverId: string; readonly backupId: string },
): Promise<BackupPlace> {
  let unavailable: unknown = null;
  return atAnyFiles(deps, node, async (place) => {
    const read = async (at: FilesNode) => deps.files.getBackup(at, grants, serverId, backupId);
    const { backup, isWithinReach, dataRootIds } = await read(place).catch((error) => {
      unavailable ??= error;
      throw error;
    });
    if (isWithinReach) return { backup, place, holder: null };
    const holder = await holderOf(deps, dataRootIds);
    if (holder && (await read(holder)).isWithinReach) return { backup, place: holder, holder };
    throw (
      unavailable ?? fail('BACKUP_OUT_OF_REACH', 'the backup is on the disk of another node, or in a bucket of others')
    );
  });
}

/** Preferably an online node; null: no node has one of these disks. */
async function holderOf({ stores }: PlaceDeps, dataRootIds: readonly string[]): Promise<GameNode | null> {
  if (dataRootIds.length === 0) return null;
  const holders = (await stores.nodes.all()).filter(({ dataRootId }) => dataRootIds.includes(dataRootId ?? ''));
  return holders.find(({ health }) => health.isReachable) ?? holders[0] ?? null;
}
