import type { BackupRef, BackupSource } from '../storage/backup-storage.js';
import { snapshotPrefix, verifyObjects } from './objects.js';
import type { ResticRepositories } from './repository.js';

/** restic reads all directories and the content index. */
export async function verifyTree(
  { restic }: Pick<ResticRepositories, 'restic'>,
  { serverId, id }: { readonly serverId: string; readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  const args = ['ls', '--json', '--no-lock', id];
  for await (const _line of restic.lines(serverId, args, { signal, bypassesCache: true })) {
    // until the end
  }
}

/** The full id, after reading back all added objects; undefined without a snapshot. */
export async function verifyAdded(
  repositories: ResticRepositories,
  { serverId, id: tag }: BackupRef,
  { shortId, before }: { readonly shortId: string; readonly before: ReadonlySet<string> },
  { signal, onVerified }: BackupSource,
): Promise<string | undefined> {
  const objects = repositories.objectsOf(serverId);
  if (!objects) {
    const id = (await repositories.snapshotsOf(serverId, tag, signal)).find((each) => each.startsWith(shortId));
    if (id !== undefined) await verifyTree(repositories, { serverId, id }, signal);
    return id;
  }
  const added = [...(await objects.list())].filter((name) => !before.has(name));
  await verifyObjects(objects, added, signal, onVerified);
  return added.find((name) => name.startsWith(snapshotPrefix + shortId))?.slice(snapshotPrefix.length);
}
