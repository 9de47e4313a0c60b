import { parsePage } from '@panel/kit/mongo';
import type { FileServiceService, ListDirectoryRequest } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { DirectoryOrder, DirectoryPageQuery } from '../../domain/directory-query.js';
import { presentEntry } from '../../present/file-entry.js';
import { listDirectory } from '../../usecases/files/list-directory.js';
import { readGrant } from '../read-grant.js';

const orders: Readonly<Record<string, DirectoryOrder>> = { name: 'name', size: 'size', modified_at: 'modified_at' };

export function handleListDirectory(context: FilesContext): Handler<FileServiceService['listDirectory']> {
  return async (request, { signal, permission }) => {
    const grant = readGrant(context, request.grant, permission);
    const query = request.page ? parseQuery(request) : null;
    const listing = await listDirectory(context, { grant, signal, directory: request.directory, page: query });
    const { entries, isTruncated, total } = listing;
    const page = query ? { page: query.page, perPage: query.perPage, total } : undefined;
    return { entries: entries.map(presentEntry), truncated: isTruncated, page };
  };
}

function parseQuery({ page: request }: ListDirectoryRequest): DirectoryPageQuery {
  const { page, perPage, search } = parsePage(request, orders);
  const [term = ''] = request?.sort ?? [];
  const order = orders[term.replace(/^-/, '')] ?? 'default';
  return { page, perPage, search, order, isDescending: term.startsWith('-') };
}
