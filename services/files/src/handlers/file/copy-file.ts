import type { CopyFileResponse, FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentEntry } from '../../present/file-entry.js';
import { copyFile as copy } from '../../usecases/files/copy-file.js';
import { RecentCreations } from '../../workspace/recent-creations.js';

/** Copy one file beside itself or to another place. */
export function copyFile(context: FilesContext): Handler<FileServiceService['copyFile']> {
  const recent = new RecentCreations<CopyFileResponse>();
  return async (request, { idempotencyId, signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    return recent.once(grant.serverId, idempotencyId, async () => {
      const { path, to } = request;
      const copied = await copy(context, { grant, signal, path, to, idempotencyId });
      return { entry: presentEntry(copied.entry), path: copied.path };
    });
  };
}
