import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';

/** Free the oldest deleted entries of a server when it needs their room; as a task, because no caller waits for that. */
export function fitTrash(
  { trash, usage, tasks }: Pick<FilesContext, 'trash' | 'usage' | 'tasks'>,
  { serverId, diskLimitBytes }: FileGrant,
): void {
  if (!trash.isEnabled || diskLimitBytes === 0) return;
  tasks.run('fit the trash into the disk limit', async () =>
    trash.fit(serverId, await usage.read(serverId), diskLimitBytes),
  );
}
