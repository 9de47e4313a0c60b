import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentFileVersion } from '../../present/file-entry.js';
import { readFileVersion } from '../../usecases/files/file-versions.js';
import { readGrant } from '../read-grant.js';

export function handleReadFileVersion(context: FilesContext): Handler<FileServiceService['readFileVersion']> {
  return async (request, { permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const { version, content } = await readFileVersion(context, grant, request.versionId);
    return { version: presentFileVersion(version), content };
  };
}
