import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createDenylist } from '../../domain/denylist.js';
import { requireGrant } from '../../domain/grant.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { presentFileVersion } from '../../present/file-entry.js';

/** Earlier contents of a text file. */
export function listFileVersions({ grants, versions }: FilesContext): Handler<FileServiceService['listFileVersions']> {
  return async (request, { permission }) => {
    const { serverId, denylist } = requireGrant(grants.verify(request.grant), permission);
    const path = displayPath(parsePath(request.path, 'path'));
    createDenylist(denylist).check(path, false);
    return { versions: (await versions.list(serverId, `/${path}`)).map(presentFileVersion) };
  };
}
