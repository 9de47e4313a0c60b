import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { restoreTrash as restore } from '../../usecases/files/restore-trash.js';

/** Move a deleted entry back. */
export function restoreTrash(context: FilesContext): Handler<FileServiceService['restoreTrash']> {
  return async (request, { signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    return { path: await restore(context, { grant, signal, trashId: request.trashId, to: request.to }) };
  };
}
