import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';

/** Free the oldest deleted entries of a server when it needs their room; no caller waits for that. */
export function fitTrash(
  { trash, usage }: Pick<FilesContext, 'trash' | 'usage'>,
  { serverId, diskLimitBytes }: FileGrant,
): void {
  trash.fitSoon(serverId, async () => usage.read(serverId), diskLimitBytes);
}
