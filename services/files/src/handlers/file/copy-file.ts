import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentEntry } from '../../present/file-entry.js';
import { copyFile } from '../../usecases/files/copy-file.js';
import { readGrant } from '../read-grant.js';

export function handleCopyFile(context: FilesContext): Handler<FileServiceService['copyFile']> {
  return async (request, { idempotencyId, signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const { path, to } = request;
    const copied = await copyFile(context, { grant, signal, path, to, idempotencyId });
    return { entry: presentEntry(copied.entry), path: copied.path };
  };
}
