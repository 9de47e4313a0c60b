import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentOperation } from '../../present/file-operation.js';
import { getFileOperation } from '../../usecases/files/file-operations.js';
import { readGrant } from '../read-grant.js';

export function handleGetFileOperation(context: FilesContext): Handler<FileServiceService['getFileOperation']> {
  return async (request, { permission }) => {
    const grant = readGrant(context, request.grant, permission);
    return { operation: presentOperation(await getFileOperation(context, grant, request.operationId)) };
  };
}
