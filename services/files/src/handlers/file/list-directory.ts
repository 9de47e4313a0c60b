import { parsePage } from '@panel/kit/mongo';
import type { FileServiceService, ListDirectoryRequest } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { DirectoryOrder, DirectoryPageQuery } from '../../domain/directory-query.js';
import { presentEntry } from '../../present/file-entry.js';
import { listDirectory, listDirectoryPage } from '../../usecases/files/list-directory.js';
import { readGrant } from '../read-grant.js';

const orders: Readonly<Record<string, DirectoryOrder>> = { name: 'name', size: 'size', modified_at: 'modified_at' };

export function handleListDirectory(context: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const input = { grant, signal, directory: request.directory };
    if (!request.page) {
      const listing = await listDirectory(context, input);
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
