import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { emptyTrash } from '../../usecases/files/empty-trash.js';
import { readGrant } from '../read-grant.js';

export function handleEmptyTrash(context: FilesContext): Handler<FileServiceService['emptyTrash']> {
  return async (request, { permission }) => {
    await emptyTrash(context, readGrant(context, request.grant, permission));
    return {};
  };
}
