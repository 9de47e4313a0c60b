import { FileOperation, type FileServiceService } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { presentOperation } from '../../present/file-operation.js';

/** The file operations of a server. */
export function listFileOperations(context: FilesContext): Handler<FileServiceService['listFileOperations']> {
  return async (request, call) => {
    const grant = requireGrant(context.grants.verify(request.grant), call.permission);
    const guard = createFileGuard(grant);
    const operations = await context.operations.list(grant.serverId);
    const presented = presentEach(call, operations, presentOperation, FileOperation);
    return { operations: presented.filter(({ path }) => !guard.hides(path, true)) };
  };
}
