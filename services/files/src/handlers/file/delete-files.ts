import type { Handler } from '@panel/rpc';
import type { FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { parseFileList } from '../../domain/file-list.js';
import { requireGrant } from '../../domain/grant.js';
import { deleteFiles as remove } from '../../usecases/files/delete-files.js';

/** Delete files and directories. */
export function deleteFiles(context: FilesContext): Handler<FileServiceService['deleteFiles']> {
  return async (request, { signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    await remove(context, { grant, signal, paths: parseFileList(request.root, request.files) });
    return {};
  };
}
