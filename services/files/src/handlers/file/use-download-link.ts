import type { FileServiceService, UseDownloadLinkResponse } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { LinkCredential } from '../../domain/download-link.js';
import { useDownloadLink } from '../../usecases/files/use-download-link.js';
import { readGrant } from '../read-grant.js';

export function handleUseDownloadLink(context: FilesContext): Handler<FileServiceService['useDownloadLink']> {
  return async ({ grant, linkId, ip, isRange }, { permission }) => {
    const { serverId } = readGrant(context, grant, permission);
    const { link, claim } = await useDownloadLink(context, { linkId, serverId, ip, isRange });
    const { path, name, isDirectory, madeWith } = link;
    return { path, name, isDirectory, credential: presentCredential(madeWith), claim: claim ?? '' };
  };
}

function presentCredential({ id, method }: LinkCredential): UseDownloadLinkResponse['credential'] {
  return method === 'session' ? { $case: 'sessionId', value: id } : { $case: 'apiKeyId', value: id };
}
