import type { Handler } from '@panel/rpc';
import type { FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentEntry } from '../../present/file-entry.js';
import { listDirectory as list } from '../../usecases/files/list-directory.js';

/** The entries of a directory of a server. */
export function listDirectory(context: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request, { signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const listing = await list(context, { grant, signal, directory: request.directory });
    return { entries: listing.entries.map(presentEntry), truncated: listing.isTruncated };
  };
}
