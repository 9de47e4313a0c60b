import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { mapFsErrors } from '../../jail/errno.js';

/** Free all deleted entries of a server. */
export function emptyTrash({ grants, trash }: FilesContext): Handler<FileServiceService['emptyTrash']> {
  return async (request, { permission }) => {
    const { serverId } = requireGrant(grants.verify(request.grant), permission);
    await mapFsErrors(async () => trash.empty(serverId));
    return {};
  };
}
