import type { FileServiceService, UseDownloadLinkResponse } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { LinkCredential } from '../../domain/download-link.js';
import { requireGrant } from '../../domain/grant.js';
import { useDownloadLink as use } from '../../usecases/files/use-download-link.js';

/** What a link is for, and who made it. */
export function useDownloadLink(context: FilesContext): Handler<FileServiceService['useDownloadLink']> {
  return async ({ grant, linkId, ip, isRange }, { permission }) => {
    const { serverId } = requireGrant(context.grants.verify(grant), permission);
    const { path, name, isDirectory, madeWith } = await use(context, { linkId, serverId, ip, isRange });
    return { path, name, isDirectory, credential: presentCredential(madeWith) };
  };
}

function presentCredential({ id, method }: LinkCredential): UseDownloadLinkResponse['credential'] {
  return method === 'session' ? { $case: 'sessionId', value: id } : { $case: 'apiKeyId', value: id };
}
