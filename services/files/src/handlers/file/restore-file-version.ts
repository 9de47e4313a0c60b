import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentEntry } from '../../present/file-entry.js';
import { restoreFileVersion } from '../../usecases/files/restore-file-version.js';
import { readGrant } from '../read-grant.js';

export function handleRestoreFileVersion(context: FilesContext): Handler<FileServiceService['restoreFileVersion']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const { entry, path, sha256 } = await restoreFileVersion(context, { grant, signal, versionId: request.versionId });
    return { entry: presentEntry(entry), path, sha256 };
  };
}
