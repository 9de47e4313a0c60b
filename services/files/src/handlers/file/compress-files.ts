import { invalidFields } from '@panel/kit/errors';
import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import { type WrittenFormat, writtenFormats } from '../../archives/archive-format.js';
import type { FilesContext } from '../../context.js';
import { parseBelow, parseFileList, parseRoot } from '../../domain/file-list.js';
import { requireGrant } from '../../domain/grant.js';
import { operationWaitMs, presentOperation } from '../../present/file-operation.js';
import { compressFiles as compress } from '../../usecases/archives/compress-files.js';

/** Pack files and directories into an archive. */
export function compressFiles(context: FilesContext): Handler<FileServiceService['compressFiles']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { serverId } = grant;
    const root = parseRoot(request.root);
    const paths = parseFileList(request.root, request.files);
    const name = request.name === '' ? archiveName(context.clock()) : request.name;
    const format = parseFormat(name);
    const target = parseBelow(root, name, 'name');
    const operation = await context.operations.start(
      {
        serverId,
        kind: 'compress',
        idempotencyId,
        run: async (progress) =>
          compress(context, { grant, signal: progress.signal, root, paths, format, target }, progress),
      },
      operationWaitMs,
    );
    return { operation: presentOperation(operation) };
  };
}

/** For who has named none. */
function archiveName(at: Date): string {
  return `archive-${at.toISOString().replace(/[:.]/g, '')}.tar.gz`;
}

function parseFormat(name: string): WrittenFormat {
  const lower = name.toLowerCase().replace(/\.tgz$/, '.tar.gz');
  const format = writtenFormats.findLast((extension) => lower.endsWith(`.${extension}`));
  if (format) return format;
  throw invalidFields({ name: [`must end with one of .${writtenFormats.join(', .')}`] });
}
