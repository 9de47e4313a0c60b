import type { FileGrant } from '@panel/rpc';
import type { UsageMeter } from '../volumes/usage.js';
import type { Trash } from './trash.js';

export interface FitTrashDeps {
  readonly trash: Pick<Trash, 'fitSoon'>;
  readonly usage: Pick<UsageMeter, 'read'>;
}

/** Free the oldest deleted entries of a server when it needs their room; no caller waits for that. */
export function fitTrash({ trash, usage }: FitTrashDeps, { serverId, diskLimitBytes }: FileGrant): void {
  trash.fitSoon(serverId, async () => usage.read(serverId), diskLimitBytes);
}
