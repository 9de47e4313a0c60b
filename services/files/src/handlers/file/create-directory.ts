import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentEntry } from '../../present/file-entry.js';
import { createDirectory } from '../../usecases/files/create-directory.js';
import { readGrant } from '../read-grant.js';

export function handleCreateDirectory(context: FilesContext): Handler<FileServiceService['createDirectory']> {
  return async (request, { idempotencyId, signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    return {
      entry: presentEntry(await createDirectory(context, { grant, signal, path: request.path, idempotencyId })),
    };
  };
}
