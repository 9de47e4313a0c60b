import { type FileServiceService, FileVersion } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentFileVersion } from '../../present/file-entry.js';
import { listFileVersions } from '../../usecases/files/file-versions.js';
import { readGrant } from '../read-grant.js';

export function handleListFileVersions(context: FilesContext): Handler<FileServiceService['listFileVersions']> {
  return async (request, call) => {
    const grant = readGrant(context, request.grant, call.permission);
    const found = await listFileVersions(context, grant, request.path);
    return { versions: presentEach(call, found, presentFileVersion, FileVersion) };
  };
}
