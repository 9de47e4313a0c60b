import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentOperation } from '../../present/file-operation.js';
import { requireVisibleOperation } from '../../usecases/files/get-file-operation.js';

/** Abort a running file operation. */
export function cancelFileOperation(context: FilesContext): Handler<FileServiceService['cancelFileOperation']> {
  return async (request, { permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { id } = await requireVisibleOperation(context.operations, grant, request.operationId);
    return { operation: presentOperation(await context.operations.cancel(grant.serverId, id)) };
  };
}
