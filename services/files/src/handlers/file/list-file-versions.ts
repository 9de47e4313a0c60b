import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { presentFileVersion } from '../../present/file-entry.js';

/** Earlier contents of a text file. */
export function listFileVersions({ grants, versions }: FilesContext): Handler<FileServiceService['listFileVersions']> {
  return async (request, { permission }) => {
    const grant = requireGrant(grants.verify(request.grant), permission);
    const path = displayPath(parsePath(request.path, 'path'));
    createFileGuard(grant).check(path, false);
    return { versions: (await versions.list(grant.serverId, `/${path}`)).map(presentFileVersion) };
  };
}
