import type { IncomingHttpHeaders } from 'node:http';
import { invalidFields } from '@panel/kit/errors';
import { type ExchangeUploadRequest, type ExchangeUploadRequest_Start, FileServiceService } from '@panel/protos/files';
import { messageChunks } from '@panel/rpc';
import { z } from 'zod';
import { listQuery, selectPage } from '../../declaration/list-query.js';
import type { OwnHeader } from '../../declaration/response-headers.js';
import { empty, list, one, route, type Route, type RouteRequest, server } from '../../declaration/route.js';
import type { StreamBody } from '../../declaration/body.js';
import { RawReply } from '../../http/raw-reply.js';
import { refuseIfNoneMatch, type WriteCondition, writeConditionOf } from './entity-tag.js';
import { openFiles, readRecords } from './node-files.js';
import { filePath, upload } from './resource.js';

/* Resumable uploads (tus 1.0.0): authorised here, served by the files service, directly on nodes with a public URL. */

const uploads = '/api/v1/servers/{id}/files/uploads';
const pieceType = 'application/offset+octet-stream';
/** Bounds an endless piece; stalled connections close earlier. */
const pieceTimeoutMs = 24 * 60 * 60_000;

const overwrite = z
  .enum(['true', 'false'])
  .default('false')
  .describe('replace a file that is there; needs the right to change files, for every request of the upload');
const pieceQuery = z.object({ overwrite });

const uploadHeaders: readonly OwnHeader[] = ['Tus-Resumable', 'Upload-Expires', 'Upload-Offset'];

type UploadRequest = RouteRequest<{ readonly id: string; readonly upload_id?: string }, z.output<typeof pieceQuery>>;

export const uploadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: uploads,
    summary: 'Unfinished resumable uploads, newest first',
    access: server(FileServiceService.listUploads),
    rate: 'general',
    query: listQuery('created_at', 'expires_at', 'path', 'size', 'offset'),
    response: list(upload.schema),
    handler: async ({ params, query, services, rpc }) => {
      const found = await readRecords(
        services,
        params.id,
        FileServiceService.listUploads,
        rpc,
        async (files, grant, options) => services.files(files).listUploads({ grant }, options),
      );
      return selectPage(found.uploads.map(upload.present), query, ({ path }) => path);
    },
  }),
  route({
    method: 'POST',
    path: uploads,
    summary: 'Begin a resumable upload (tus): its address is in Location',
    access: server(FileServiceService.exchangeUpload),
    rate: 'upload',
    query: pieceQuery.extend({ directory: filePath.default('/').describe('what `filename` of the metadata is in') }),
    body: { kind: 'stream' as const, type: pieceType },
    response: one(upload.schema),
    status: 201,
    refusals: [412],
    requestHeaders: ['If-Match', 'Tus-Resumable', 'Upload-Length', 'Upload-Metadata'],
    headers: uploadHeaders,
    handler: async (request) => {
      const { directory } = request.query;
      refuseIfNoneMatch(request.headers);
      const locationPrefix = `${await publicOrigin(request)}${uploadsOf(request.params.id)}`;
      return replyTo(await exchange(request, request.body, { method: 'POST', directory, locationPrefix }));
    },
  }),
  route({
    method: 'GET',
    path: `${uploads}/{upload-id}`,
    summary: 'How much of a resumable upload has arrived (tus: HEAD)',
    access: server(FileServiceService.exchangeUpload),
    rate: 'general',
    query: pieceQuery,
    response: one(upload.schema),
    refusals: [412],
    requestHeaders: ['Tus-Resumable'],
    headers: ['Cache-Control', 'Upload-Length', 'Upload-Metadata', ...uploadHeaders],
    handler: async (request) => replyTo(await exchange(request, null, { method: 'HEAD' })),
  }),
  route({
    method: 'PATCH',
    path: `${uploads}/{upload-id}`,
    summary: 'The next piece of a resumable upload (tus); the last one puts the file in its place',
    access: server(FileServiceService.exchangeUpload),
    rate: 'general',
    query: pieceQuery,
    body: { kind: 'stream' as const, type: pieceType },
    response: empty,
    refusals: [412],
    requestHeaders: ['Tus-Resumable', 'Upload-Offset'],
    headers: uploadHeaders,
    handler: async (request) => replyTo(await exchange(request, request.body, { method: 'PATCH' })),
  }),
  route({
    method: 'DELETE',
    path: `${uploads}/{upload-id}`,
    summary: 'End a resumable upload (tus); what has arrived is removed',
    access: server(FileServiceService.exchangeUpload),
    rate: 'general',
    query: pieceQuery,
    response: empty,
    refusals: [412],
    requestHeaders: ['Tus-Resumable'],
    headers: uploadHeaders,
    handler: async (request) => replyTo(await exchange(request, null, { method: 'DELETE' })),
  }),
];

const noCondition: WriteCondition = { ifMatchSha256: '', mustExist: false };

type Start = Pick<ExchangeUploadRequest_Start, 'method'> & Partial<ExchangeUploadRequest_Start>;

async function exchange(request: UploadRequest, body: StreamBody | null, start: Start) {
  const { params, query, services, rpc, signal } = request;
  const isOverwrite = query.overwrite === 'true';
  // Overwriting needs the write permission.
  const method = isOverwrite ? FileServiceService.writeFile : FileServiceService.exchangeUpload;
  const { client, grant, publicUrl } = await openFiles(services, params.id, method, rpc);
  // Rate-limits the start only; pieces do not count.
  await request.countUpload();
  const condition = start.method === 'POST' ? await conditionOf(request, start.directory ?? '/') : noCondition;
  const options = { ...rpc, timeoutMs: pieceTimeoutMs, signal };
  const first: ExchangeUploadRequest_Start = {
    grant,
    headers: protocolHeaders(request),
    uploadId: params.upload_id ?? '',
    directory: '/',
    overwrite: isOverwrite,
    locationPrefix: uploadsOf(params.id),
    locationSuffix: isOverwrite ? '?overwrite=true' : '',
    publicUrl,
    ...condition,
    ...start,
  };
  return client.exchangeUpload(messages(first, body), options);
}

/** Of the file that a new upload replaces. Throws INVALID_FIELDS, FILE_CHANGED. */
async function conditionOf(
  { headers, params, query, services, rpc }: UploadRequest,
  directory: string,
): Promise<WriteCondition> {
  const header = headers['if-match'];
  if (header === undefined) return noCondition;
  if (query.overwrite !== 'true') throw invalidFields({ 'If-Match': ['needs ?overwrite=true'] });
  const openForReading = async () => openFiles(services, params.id, FileServiceService.readFile, rpc);
  return writeConditionOf(openForReading, `${directory}/${filenameOf(headers)}`, header, rpc);
}

/** Empty without one, which the files service refuses. */
function filenameOf(headers: IncomingHttpHeaders): string {
  const value = /(?:^|,)\s*filename ([^,\s]*)/.exec(String(headers['upload-metadata'] ?? ''))?.[1] ?? '';
  return Buffer.from(value, 'base64').toString();
}

function uploadsOf(serverId: string): string {
  return `/api/v1/servers/${serverId}/files/uploads/`;
}

/** Absolute where the client uses the address of the settings: not every client of the protocol resolves a path. */
async function publicOrigin({
  panelSettings,
  headers,
}: Pick<UploadRequest, 'panelSettings' | 'headers'>): Promise<string> {
  const { general } = await panelSettings.read();
  const url = general?.url ?? '';
  return URL.canParse(url) && new URL(url).host === headers['host'] ? new URL(url).origin : '';
}

async function* messages(
  start: ExchangeUploadRequest_Start,
  body: StreamBody | null,
): AsyncGenerator<ExchangeUploadRequest> {
  yield { part: { $case: 'start', value: start } };
  if (!body) return;
  for await (const chunk of body.chunks) {
    for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
  }
}

/** HEAD comes from tus clients only; a GET needs no version header. */
function protocolHeaders({ headers, rawExchange }: UploadRequest): Record<string, string> {
  const retained = Object.entries(headers).filter(([name]) => /^(content-(type|length)|tus-|upload-)/.test(name));
  const sent = Object.fromEntries(retained.map(([name, value]) => [name, String(value)]));
  return rawExchange.request.method === 'GET' ? { ...sent, 'tus-resumable': '1.0.0' } : sent;
}

type Exchanged = Awaited<ReturnType<typeof exchange>>;

function replyTo({ status, headers, upload: found }: Exchanged): RawReply {
  const isEmpty = status === 204 || !found;
  const body = isEmpty ? '' : JSON.stringify({ data: upload.present(found) });
  return new RawReply(isEmpty ? '' : 'application/json', body, { status, headers });
}
