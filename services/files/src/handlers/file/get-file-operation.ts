import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentOperation } from '../../present/file-operation.js';
import { requireVisibleOperation } from '../../usecases/files/get-file-operation.js';

/** One file operation of a server. */
export function getFileOperation(context: FilesContext): Handler<FileServiceService['getFileOperation']> {
  return async (request, { permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const operation = await requireVisibleOperation(context.operations, grant, request.operationId);
    return { operation: presentOperation(operation) };
  };
}
