import { parsePage } from '@panel/kit/mongo';
import type { FileServiceService, ListDirectoryRequest } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import type { DirectoryOrder, DirectoryPageQuery } from '../../jail/directory-page.js';
import { presentEntry } from '../../present/file-entry.js';
import { listDirectory as list, listDirectoryPage } from '../../usecases/files/list-directory.js';

const orders: Readonly<Record<string, DirectoryOrder>> = { name: 'name', size: 'size', modified_at: 'modified_at' };

/** The entries of a directory of a server. */
export function listDirectory(context: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request, { signal, permission }) => {
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const input = { grant, signal, directory: request.directory };
    if (!request.page) {
      const listing = await list(context, input);
      return { entries: listing.entries.map(presentEntry), truncated: listing.isTruncated, page: undefined };
    }
    const query = parseQuery(request);
    const { entries, isTruncated, total } = await listDirectoryPage(context, { ...input, query });
    const { page, perPage } = query;
    return { entries: entries.map(presentEntry), truncated: isTruncated, page: { page, perPage, total } };
  };
}

function parseQuery({ page: request }: ListDirectoryRequest): DirectoryPageQuery {
  const { page, perPage, search } = parsePage(request, orders);
  const [term = ''] = request?.sort ?? [];
  const order = orders[term.replace(/^-/, '')] ?? 'default';
  return { page, perPage, search, order, isDescending: term.startsWith('-') };
}
