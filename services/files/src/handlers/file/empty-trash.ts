import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { mapFsErrors } from '../../jail/errno.js';
import { emptyTrash as emptyTrashOf } from '../../usecases/files/empty-trash.js';

/** Free the deleted entries of a server. */
export function emptyTrash({ grants, trash }: FilesContext): Handler<FileServiceService['emptyTrash']> {
  return async (request, { permission }) => {
    const grant = requireGrant(grants.verify(request.grant), permission);
    await mapFsErrors(async () => emptyTrashOf(trash, grant));
    return {};
  };
}
