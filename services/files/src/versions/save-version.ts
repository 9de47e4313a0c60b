import type { FileGrant } from '@panel/rpc';
import type { OpenFile } from '../jail/open-file.js';
import type { UsageMeter } from '../volumes/usage.js';
import type { FileVersions } from './file-versions.js';

export interface SaveVersionDeps {
  readonly usage: Pick<UsageMeter, 'reserve'>;
  readonly versions: Pick<FileVersions, 'save'>;
}

/** Within the server's disk limit. */
export async function saveVersion(
  { usage, versions }: SaveVersionDeps,
  { serverId, diskLimitBytes, ownerId }: FileGrant,
  filePath: string,
  node: Pick<OpenFile, 'fd' | 'stat'>,
): Promise<void> {
  const reservation = await usage.reserve(serverId, diskLimitBytes, ownerId);
  try {
    reservation.commit(await versions.save(serverId, filePath, node, (bytes) => reservation.hold(bytes)));
  } finally {
    reservation.release();
  }
}
