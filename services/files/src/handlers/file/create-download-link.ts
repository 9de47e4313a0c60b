import type { FileServiceService } from '@panel/protos/files';
import { type Handler, requireUser } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { directPath } from '../../domain/direct-address.js';
import { requireGrant } from '../../domain/grant.js';
import { createDownloadLink as create } from '../../usecases/files/create-download-link.js';

/** A link for one download. */
export function createDownloadLink(context: FilesContext): Handler<FileServiceService['createDownloadLink']> {
  return async (request, { actor, signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { method, credentialId } = requireUser(actor);
    const madeWith = { method, id: credentialId };
    const { id, link } = await create(context, { grant, signal, path: request.path, madeWith });
    const { directAddresses } = context;
    const path = directAddresses ? directPath(directAddresses, 'downloads', grant.serverId, id) : '';
    return { linkId: id, expireTime: link.expiresAt, name: link.name, directPath: path };
  };
}
