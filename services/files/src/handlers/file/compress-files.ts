import type { FileServiceService } from '@panel/protos/files';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { type WrittenFormat, writtenFormats } from '../../domain/archive-format.js';
import { presentOperation } from '../../present/file-operation.js';
import { compressFiles, newArchiveName } from '../../usecases/files/compress-files.js';
import { readGrant } from '../read-grant.js';
import { parseBelow, parseFileList, parseRoot } from '../read-paths.js';

export function handleCompressFiles(context: FilesContext): Handler<FileServiceService['compressFiles']> {
  return async (request, { idempotencyId, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const root = parseRoot(request.root);
    const paths = parseFileList(request.root, request.files);
    const name = request.name === '' ? newArchiveName(context) : request.name;
    const format = parseFormat(name);
    const target = parseBelow(root, name, 'name');
    const operation = await compressFiles(context, { grant, idempotencyId, root, paths, format, target });
    return { operation: presentOperation(operation) };
  };
}

function parseFormat(name: string): WrittenFormat {
  const lower = name.toLowerCase().replace(/\.tgz$/, '.tar.gz');
  const format = writtenFormats.findLast((extension) => lower.endsWith(`.${extension}`));
  if (format) return format;
  throw invalidFields({ name: [fieldProblem('not_allowed', `must end with one of .${writtenFormats.join(', .')}`)] });
}
