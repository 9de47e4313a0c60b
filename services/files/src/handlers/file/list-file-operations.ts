import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { presentOperation } from '../../present/file-operation.js';

/** The file operations of a server. */
export function listFileOperations(context: FilesContext): Handler<FileServiceService['listFileOperations']> {
  return async (request, { permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const guard = createFileGuard(grant);
    const operations = await context.operations.list(grant.serverId);
    return { operations: operations.filter(({ path }) => !guard.hides(path, true)).map(presentOperation) };
  };
}
