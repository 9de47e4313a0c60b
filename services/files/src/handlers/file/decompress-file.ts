import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { parseRoot } from '../../domain/file-list.js';
import { requireGrant } from '../../domain/grant.js';
import { parsePath } from '../../domain/path.js';
import { operationWaitMs, presentOperation } from '../../present/file-operation.js';
import { decompressFile as decompress } from '../../usecases/files/decompress-file.js';

/** Extract an archive. */
export function decompressFile(context: FilesContext): Handler<FileServiceService['decompressFile']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { path, overwrite: isOverwriting } = request;
    const archive = parsePath(path, 'path');
    const target = request.root === '' ? archive.slice(0, -1) : parseRoot(request.root);
    const operation = await context.operations.start(
      {
        serverId: grant.serverId,
        kind: 'decompress',
        idempotencyId,
        run: async (progress) =>
          decompress(context, { grant, signal: progress.signal, path, target, isOverwriting }, progress),
      },
      operationWaitMs,
    );
    return { operation: presentOperation(operation) };
  };
}
