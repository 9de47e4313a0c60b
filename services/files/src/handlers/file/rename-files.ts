import type { Handler } from '@panel/rpc';
import type { FileServiceService, RenameFilesRequest } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { checkCount, parseBelow, parseRoot } from '../read-paths.js';
import { type Move, renameFiles } from '../../usecases/files/rename-files.js';
import { readGrant } from '../read-grant.js';

export function handleRenameFiles(context: FilesContext): Handler<FileServiceService['renameFiles']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    await renameFiles(context, { grant, signal, moves: parseMoves(request) });
    return {};
  };
}

function parseMoves(request: RenameFilesRequest): Move[] {
  checkCount(request.files);
  const root = parseRoot(request.root);
  return request.files.map((file, i) => ({
    from: parseBelow(root, file.from, `files.${i}.from`),
    to: parseBelow(root, file.to, `files.${i}.to`),
    field: `files.${i}.to`,
  }));
}
