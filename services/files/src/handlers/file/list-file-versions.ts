import { type FileServiceService, FileVersion } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { presentFileVersion } from '../../present/file-entry.js';

/** Earlier contents of a text file. */
export function listFileVersions({ grants, versions }: FilesContext): Handler<FileServiceService['listFileVersions']> {
  return async (request, call) => {
    const grant = requireGrant(grants.verify(request.grant), call.permission);
    const path = displayPath(parsePath(request.path, 'path'));
    createFileGuard(grant).check(path, false);
    const found = await versions.list(grant.serverId, `/${path}`);
    return { versions: presentEach(call, found, presentFileVersion, FileVersion) };
  };
}
