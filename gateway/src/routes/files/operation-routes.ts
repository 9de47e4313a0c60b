import { FileServiceService } from '@panel/protos/files';
import { selectPage } from '../../declaration/list-query.js';
import { json, list, noBody, one, route, type Route, server } from '../../declaration/route.js';
import { openFiles, readFileOperation, readRecords } from './node-files.js';
import {
  chmodBody,
  compressBody,
  decompressBody,
  fileOperation,
  operationListQuery,
  pullBody,
  searchQuery,
} from './operation-resource.js';
import { doneFiles, fileMatch, searchExtraMeta } from './resource.js';

const files = '/api/v1/servers/{id}/files';
/** The call waits 5 s for its operation; a busy node starts later. */
const operationTimeoutMs = 9_000;
/** The search ends after 8 s. */
const searchTimeoutMs = 9_500;

const startRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${files}/compress`,
    summary: 'Pack files into an archive; running when it takes longer than 5 s',
    access: server(FileServiceService.compressFiles),
    rate: 'general',
    body: json(compressBody),
    response: one(fileOperation.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.compressFiles, rpc);
      const request = { grant, ...body, name: body.name ?? '' };
      const { operation } = await client.compressFiles(request, { ...rpc, timeoutMs: operationTimeoutMs });
      return fileOperation.present(operation);
    },
  }),
  route({
    method: 'POST',
    path: `${files}/decompress`,
    summary: 'Extract an archive; running when it takes longer than 5 s',
    access: server(FileServiceService.decompressFile),
    rate: 'general',
    body: json(decompressBody),
    response: one(fileOperation.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.decompressFile, rpc);
      const request = { grant, path: body.path, root: body.root ?? '', overwrite: body.overwrite };
      const { operation } = await client.decompressFile(request, { ...rpc, timeoutMs: operationTimeoutMs });
      return fileOperation.present(operation);
    },
  }),
  route({
    method: 'POST',
    path: `${files}/pull`,
    summary: 'Download a URL into a file; running when it takes longer than 5 s',
    access: server(FileServiceService.pullFile),
    rate: 'general',
    body: json(pullBody),
    response: one(fileOperation.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.pullFile, rpc);
      const request = { grant, url: body.url, directory: body.directory, name: body.name ?? '' };
      const { operation } = await client.pullFile(request, { ...rpc, timeoutMs: operationTimeoutMs });
      return fileOperation.present(operation);
    },
  }),
];

const watchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${files}/operations`,
    summary: 'Archives and downloads of the last day, newest first',
    access: server(FileServiceService.listFileOperations),
    rate: 'general',
    query: operationListQuery,
    response: list(fileOperation.schema),
    handler: async ({ params, query, services, rpc }) => {
      const { operations } = await readRecords(
        services,
        params.id,
        FileServiceService.listFileOperations,
        rpc,
        async (files, grant, options) => services.files(files).listFileOperations({ grant }, options),
      );
      return selectPage(operations.map(fileOperation.present), query, ({ path }) => path);
    },
  }),
  route({
    method: 'GET',
    path: `${files}/operations/{operation-id}`,
    summary: 'One archive or download, with its progress',
    access: server(FileServiceService.getFileOperation),
    rate: 'general',
    response: one(fileOperation.schema),
    handler: async ({ params, services, rpc }) =>
      fileOperation.present(await readFileOperation(services, params.id, params.operation_id, rpc)),
  }),
  route({
    method: 'POST',
    path: `${files}/operations/{operation-id}/cancel`,
    summary: 'Abort a running archive or download, which then leaves nothing',
    access: server(FileServiceService.cancelFileOperation),
    rate: 'general',
    body: json(noBody),
    response: one(fileOperation.schema),
    handler: async ({ params, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.cancelFileOperation, rpc);
      const { operation } = await client.cancelFileOperation({ grant, operationId: params.operation_id }, rpc);
      return fileOperation.present(operation);
    },
  }),
];

const otherRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${files}/chmod`,
    summary: 'Set the permission bits of files and directories',
    access: server(FileServiceService.chmodFiles),
    rate: 'general',
    body: json(chmodBody),
    response: one(doneFiles),
    handler: async ({ params, body, services, rpc }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.chmodFiles, rpc);
      const changes = body.files.map(({ file, mode }) => ({ path: file, mode: Number.parseInt(mode, 8) }));
      await client.chmodFiles({ grant, root: body.root, files: changes }, rpc);
      return { files: body.files.length };
    },
  }),
  route({
    method: 'GET',
    path: `${files}/search`,
    summary: 'Files and directories by name, and by the text in them',
    access: server(FileServiceService.searchFiles),
    rate: 'general',
    query: searchQuery,
    response: list(fileMatch.schema, searchExtraMeta),
    handler: async ({ params, query, services, rpc, signal }) => {
      const { client, grant } = await openFiles(services, params.id, FileServiceService.searchFiles, rpc);
      const { directory, name, content, limit } = query;
      const call = client.searchFiles(
        { grant, root: directory, name, content, limit },
        { ...rpc, timeoutMs: searchTimeoutMs, signal },
      );
      const items = [];
      let extraMeta = { complete: false, entries_searched: 0 };
      for await (const { part } of call) {
        if (part?.$case === 'match') {
          items.push(fileMatch.present(part.value));
        } else if (part?.$case === 'summary') {
          extraMeta = { complete: part.value.complete, entries_searched: part.value.entriesSearched };
        }
      }
      return { ...selectPage(items, query, ({ path }) => path), extraMeta };
    },
  }),
];

export const fileOperationRoutes: readonly Route[] = [...startRoutes, ...watchRoutes, ...otherRoutes];
