import type { Handler } from '@panel/rpc';
import type { FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { parseFileList } from '../read-paths.js';
import { deleteFiles } from '../../usecases/files/delete-files.js';
import { readGrant } from '../read-grant.js';

export function handleDeleteFiles(context: FilesContext): Handler<FileServiceService['deleteFiles']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    await deleteFiles(context, { grant, signal, paths: parseFileList(request.root, request.files) });
    return {};
  };
}
