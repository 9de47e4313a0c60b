import type { FileServiceService } from '@panel/protos/files';
import { type Handler, requireUser } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { directPath } from '../../domain/direct-address.js';
import { createDownloadLink } from '../../usecases/files/create-download-link.js';
import { readGrant } from '../read-grant.js';

export function handleCreateDownloadLink(context: FilesContext): Handler<FileServiceService['createDownloadLink']> {
  return async (request, { actor, signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const { method, credentialId } = requireUser(actor);
    const madeWith = { method, id: credentialId };
    const { id, link } = await createDownloadLink(context, { grant, signal, path: request.path, madeWith });
    const { directAddresses } = context;
    const path = directAddresses ? directPath(directAddresses, 'downloads', grant.serverId, id) : '';
    return { linkId: id, expireTime: link.expiresAt, name: link.name, directPath: path };
  };
}
