import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentOperation } from '../../present/file-operation.js';
import { cancelFileOperation } from '../../usecases/files/file-operations.js';
import { readGrant } from '../read-grant.js';

export function handleCancelFileOperation(context: FilesContext): Handler<FileServiceService['cancelFileOperation']> {
  return async (request, { permission }) => {
    const grant = readGrant(context, request.grant, permission);
    return { operation: presentOperation(await cancelFileOperation(context, grant, request.operationId)) };
  };
}
