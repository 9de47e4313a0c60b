import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentOperation } from '../../present/file-operation.js';

/** The file operations of a server. */
export function listFileOperations(context: FilesContext): Handler<FileServiceService['listFileOperations']> {
  return async (request, { permission }) => {
    const { serverId } = requireGrant(context.grants.verify(request.grant), permission);
    return { operations: (await context.operations.list(serverId)).map(presentOperation) };
  };
}
