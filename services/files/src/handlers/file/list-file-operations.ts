import { FileOperation, type FileServiceService } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentOperation } from '../../present/file-operation.js';
import { listFileOperations } from '../../usecases/files/file-operations.js';
import { readGrant } from '../read-grant.js';

export function handleListFileOperations(context: FilesContext): Handler<FileServiceService['listFileOperations']> {
  return async (request, call) => {
    const operations = await listFileOperations(context, readGrant(context, request.grant, call.permission));
    return { operations: presentEach(call, operations, presentOperation, FileOperation) };
  };
}
