import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import { requireGrant } from '../../domain/grant.js';
import { presentFileVersion } from '../../present/file-entry.js';

/** An earlier content of a text file. */
export function readFileVersion({ grants, versions }: FilesContext): Handler<FileServiceService['readFileVersion']> {
  return async (request, { permission }) => {
    const grant = requireGrant(grants.verify(request.grant), permission);
    const version = await versions.find(grant.serverId, request.versionId);
    createFileGuard(grant).check(version.path.slice(1), false);
    return { version: presentFileVersion(version), content: await versions.read(version) };
  };
}
