import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { restoreTrash } from '../../usecases/files/restore-trash.js';
import { readGrant } from '../read-grant.js';

export function handleRestoreTrash(context: FilesContext): Handler<FileServiceService['restoreTrash']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    return { path: await restoreTrash(context, { grant, signal, trashId: request.trashId, to: request.to }) };
  };
}
