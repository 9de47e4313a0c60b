import type { FileServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { releaseDownloadLink } from '../../usecases/files/release-download-link.js';
import { readGrant } from '../read-grant.js';

export function handleReleaseDownloadLink(context: FilesContext): Handler<FileServiceService['releaseDownloadLink']> {
  return async ({ grant, linkId, claim }, { permission }) => {
    const { serverId } = readGrant(context, grant, permission);
    await releaseDownloadLink(context, { linkId, serverId, claim });
    return {};
  };
}
