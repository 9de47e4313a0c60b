import { invalidFields } from '@panel/kit/errors';
import type { ChmodFilesRequest, FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { checkCount, parseBelow, parseRoot } from '../read-paths.js';
import { chmodFiles, type ModeChange } from '../../usecases/files/chmod-files.js';
import { readGrant } from '../read-grant.js';

const maxMode = 0o777;

export function handleChmodFiles(context: FilesContext): Handler<FileServiceService['chmodFiles']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    await chmodFiles(context, { grant, signal, changes: parseChanges(request) });
    return {};
  };
}

function parseChanges({ root: rootText, files }: ChmodFilesRequest): ModeChange[] {
  checkCount(files);
  const root = parseRoot(rootText);
  return files.map(({ path, mode }, i) => {
    if (mode < 0 || mode > maxMode) throw invalidFields({ [`files.${i}.mode`]: ['must be 0 to 777 in octal'] });
    return { path: parseBelow(root, path, `files.${i}.file`), mode };
  });
}
