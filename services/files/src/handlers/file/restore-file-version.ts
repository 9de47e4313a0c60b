import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentEntry } from '../../present/file-entry.js';
import { restoreVersion } from '../../usecases/files/restore-file-version.js';

/** Write an earlier content of a text file back. */
export function restoreFileVersion(context: FilesContext): Handler<FileServiceService['restoreFileVersion']> {
  return async (request, { signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { entry, path, sha256 } = await restoreVersion(context, { grant, signal, versionId: request.versionId });
    return { entry: presentEntry(entry), path, sha256 };
  };
}
