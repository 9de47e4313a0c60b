import { list, one, planned, route, type Route, server } from '../route.js';
import { contentsAsBytes, contentsAsJson, wantsBytes } from './contents.js';
import { openFiles } from './node-files.js';
import { presentEntry } from './present.js';
import { fileContents, fileContentsQuery, fileEntry, listFilesQuery } from './schema.js';

const files = '/api/v1/servers/{id}/files';

export const fileRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/list`,
    summary: 'Entries of a directory, directories first',
    access: server('file.read'),
    rate: 'general',
    query: listFilesQuery,
    answer: list(fileEntry),
    work: async ({ params, query, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, 'file.read', rpc);
      const { entries, truncated } = await client.listDirectory({ grant, directory: query.directory }, rpc);
      const total = entries.length;
      const perPage = query.per_page ?? Math.max(1, total);
      const page = query.per_page === undefined ? 1 : (query.page ?? 1);
      const shown = entries.slice((page - 1) * perPage, page * perPage);
      return { items: shown.map(presentEntry), page: { page, perPage, total }, notes: { truncated } };
    },
  }),
  route({
    method: 'GET',
    path: `${files}/contents`,
    summary: 'A file: up to 4 MiB as JSON; any size as bytes, with ranges',
    access: server('file.read-content'),
    rate: 'general',
    query: fileContentsQuery,
    answer: { ...one(fileContents), rawTypes: ['application/octet-stream', 'text/plain'] },
    work: async ({ params, query, services, rpc, headers, signal }) => {
      const granted = await openFiles(services, params.id, 'file.read-content', rpc);
      const { accept } = headers;
      const accepted = typeof accept === 'string' ? accept : undefined;
      const streaming = { ...rpc, signal };
      if (!wantsBytes(accepted)) return contentsAsJson(granted, query.path, streaming);
      const range = typeof headers['range'] === 'string' ? headers['range'] : undefined;
      return contentsAsBytes(granted, query.path, streaming, { range, accept: accepted });
    },
  }),
  planned('PUT', `${files}/write`, 'Write a file', server('file.update'), 'upload'),
  planned('POST', `${files}/create-directory`, 'Make a directory', server('file.create')),
  planned('POST', `${files}/rename`, 'Rename or move', server('file.update')),
  planned('POST', `${files}/copy`, 'Copy a file', server('file.create')),
  planned('POST', `${files}/delete`, 'Delete files and directories', server('file.delete')),
];
