import { FileServiceService } from '@panel/protos/files';
import { pageRequest, selectPage } from '../../declaration/list-query.js';
import { downloadHeaders } from '../../declaration/response-headers.js';
import { json, list, one, route, type Route, server } from '../../declaration/route.js';
import { downloadHeadersOf } from '../../http/download-headers.js';
import { contentsAsBytes, contentsAsJson } from './contents.js';
import { downloadRoutes } from './download-routes.js';
import { openFiles } from './node-files.js';
import { fileOperationRoutes } from './operation-routes.js';
import { fileRecoveryRoutes } from './recovery-routes.js';
import {
  absolutePath,
  copiedFile,
  copyBody,
  createDirectoryBody,
  deleteBody,
  doneFiles,
  fileContents,
  fileContentsQuery,
  fileEntry,
  listFilesQuery,
  listExtraMeta,
  presentEntry,
  renameBody,
  writeFileBody,
  writeFileQuery,
  writtenFile,
} from './resource.js';
import { uploadRoutes } from './upload-routes.js';
import { writeUpload } from './write.js';

const files = '/api/v1/servers/{id}/files';

const byteTypes = ['application/octet-stream', 'text/plain'];

const readRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/list`,
    summary: 'Entries of a directory, directories first',
    access: server(FileServiceService.listDirectory),
    rate: 'general',
    query: listFilesQuery,
    response: list(fileEntry, listExtraMeta),
    handler: async ({ params, query, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.listDirectory, rpc);
      const page = isPagedByService(query.sort) ? pageRequest(query) : undefined;
      const found = await client.listDirectory({ grant, directory: query.directory, page }, rpc);
      const entries = found.entries.map((entry) => presentEntry(entry, absolutePath(query.directory, entry.name)));
      const extraMeta = { truncated: found.truncated };
      if (found.page) return { items: entries, page: found.page, extraMeta };
      return { ...selectPage(entries, query, ({ name }) => name), extraMeta };
    },
  }),
  route({
    method: 'GET',
    path: `${files}/contents`,
    summary: 'A file: up to 4 MiB as JSON; any size as bytes, with ranges',
    access: server(FileServiceService.readFile),
    rate: 'general',
    query: fileContentsQuery,
    carriesSecrets: true,
    response: { ...one(fileContents), rawTypes: byteTypes },
    otherStatuses: [206, 304],
    refusals: [416],
    requestHeaders: ['If-None-Match', 'If-Range', 'Range'],
    headers: downloadHeaders,
    handler: async (request) => {
      const { params, query, services, rawExchange } = request;
      const granted = await openFiles(services, params.id, FileServiceService.readFile, request.rpc);
      const wanted = downloadHeadersOf(rawExchange.request);
      // ranges apply to bytes only
      const types = wanted.range === undefined ? ['application/json', ...byteTypes] : byteTypes;
      const type = request.preferredType(types);
      if (type === 'application/json') return contentsAsJson(granted, query.path, request, wanted);
      const rpc = { ...request.rpc, signal: request.signal };
      return contentsAsBytes(granted, query.path, rpc, { ...wanted, type });
    },
  }),
];

const writeRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: `${files}/write`,
    summary: 'Write a file, whole or not at all: as JSON, or as bytes with ?path=',
    access: server(FileServiceService.writeFile),
    rate: 'upload',
    query: writeFileQuery,
    body: { kind: 'upload' as const, schema: writeFileBody },
    response: one(writtenFile.schema),
    requestHeaders: ['If-Match'],
    handler: writeUpload,
  }),
  route({
    method: 'POST',
    path: `${files}/create-directory`,
    summary: 'Make a directory',
    access: server(FileServiceService.createDirectory),
    rate: 'general',
    body: json(createDirectoryBody),
    response: one(fileEntry),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.createDirectory, rpc);
      const { entry } = await client.createDirectory({ grant, path: body.path }, rpc);
      return presentEntry(entry, absolutePath(body.path));
    },
  }),
  route({
    method: 'POST',
    path: `${files}/rename`,
    summary: 'Rename or move; nothing is overwritten',
    access: server(FileServiceService.renameFiles),
    rate: 'general',
    body: json(renameBody),
    response: one(doneFiles),
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.renameFiles, rpc);
      await client.renameFiles({ grant, root: body.root, files: body.files }, rpc);
      return { files: body.files.length };
    },
  }),
  route({
    method: 'POST',
    path: `${files}/copy`,
    summary: 'Copy a file; nothing is overwritten',
    access: server(FileServiceService.copyFile),
    rate: 'general',
    body: json(copyBody),
    response: one(copiedFile.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.copyFile, rpc);
      return copiedFile.present(await client.copyFile({ grant, path: body.path, to: body.to ?? '' }, rpc));
    },
  }),
  route({
    method: 'POST',
    path: `${files}/delete`,
    summary: 'Delete files, and directories with all their content',
    access: server(FileServiceService.deleteFiles),
    rate: 'general',
    body: json(deleteBody),
    response: one(doneFiles),
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.deleteFiles, rpc);
      await client.deleteFiles({ grant, root: body.root, files: body.files }, rpc);
      return { files: body.files.length };
    },
  }),
];

/** By one field without file access. */
function isPagedByService(sort: readonly string[]): boolean {
  return sort.length <= 1 && !sort.some((term) => term.endsWith('mimetype'));
}

export const fileRoutes: readonly Route[] = [
  ...readRoutes,
  ...writeRoutes,
  ...fileOperationRoutes,
  ...fileRecoveryRoutes,
  ...downloadRoutes,
  ...uploadRoutes,
];
