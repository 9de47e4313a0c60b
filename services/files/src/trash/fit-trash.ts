import type { FileGrant } from '@panel/rpc';
import type { UsageMeter } from '../volumes/usage.js';
import type { Trash } from './trash.js';

export interface FitTrashDeps {
  readonly trash: Pick<Trash, 'fitSoon'>;
  readonly usage: Pick<UsageMeter, 'read'>;
}

/** In the background. */
export function fitTrash({ trash, usage }: FitTrashDeps, { serverId, diskLimitBytes, ownerId }: FileGrant): void {
  trash.fitSoon(serverId, async () => usage.read(serverId, ownerId), diskLimitBytes);
}
