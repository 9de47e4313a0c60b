import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { parsePath } from '../../domain/path.js';
import { presentOperation } from '../../present/file-operation.js';
import { decompressFile } from '../../usecases/files/decompress-file.js';
import { readGrant } from '../read-grant.js';
import { parseRoot } from '../read-paths.js';

export function handleDecompressFile(context: FilesContext): Handler<FileServiceService['decompressFile']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const { path, overwrite: isOverwriting } = request;
    const archive = parsePath(path, 'path');
    const target = request.root === '' ? archive.slice(0, -1) : parseRoot(request.root);
    const operation = await decompressFile(context, { grant, idempotencyId, path, target, isOverwriting });
    return { operation: presentOperation(operation) };
  };
}
