import type { CreateDirectoryResponse, FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentEntry } from '../../present/file-entry.js';
import { createDirectory as create } from '../../usecases/files/create-directory.js';
import { RecentCreations } from '../../workspace/recent-creations.js';

/** Make a directory and its missing parents. */
export function createDirectory(context: FilesContext): Handler<FileServiceService['createDirectory']> {
  const recent = new RecentCreations<CreateDirectoryResponse>();
  return async (request, { idempotencyId, signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    return recent.once(grant.serverId, idempotencyId, async () => ({
      entry: presentEntry(await create(context, { grant, signal, path: request.path, idempotencyId })),
    }));
  };
}
