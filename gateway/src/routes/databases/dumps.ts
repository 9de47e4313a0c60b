import { asAttachment } from '@panel/kit/http';
import { DatabaseEngine, DatabaseServiceService, type ImportDatabaseRequest } from '@panel/protos/servers';
import { messageChunks } from '@panel/rpc';
import { z } from 'zod';
import { base64Content, uploadedContent } from '../../declaration/uploaded-content.js';
import { RawReply } from '../../http/raw-reply.js';
import { openDownload } from '../../http/stream-chunks.js';
import { streamedBody } from '../../http/streamed-body.js';
import { fail } from '../../reasons.js';
import { one, raw, route, type Route, server, type UploadBody } from '../../declaration/route.js';
import { database } from './resource.js';

const path = '/api/v1/servers/{id}/databases/{db-id}';
const importTimeoutMs = 60 * 60_000;

const importBody = z
  .strictObject({
    ...uploadedContent,
    content: uploadedContent.content.describe('the dump; larger ones go as application/octet-stream'),
  })
  .refine(base64Content.check, base64Content.problem);

export const databaseDumpRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/export`,
    summary: 'A dump of a database, streamed',
    access: server(DatabaseServiceService.exportDatabase),
    rate: 'backup',
    response: raw('application/sql', 'application/octet-stream'),
    headers: ['Content-Disposition'],
    handler: async ({ params, services, rpc, signal }) => {
      const request = { serverId: params.id, databaseId: params.db_id };
      // No deadline: the reader sets the pace; ends with the request.
      const options = { ...rpc, timeoutMs: undefined, signal };
      const { first, chunks } = await openDownload(services.databases.exportDatabase(request, options), 'database');
      const { name, engine } = first;
      const isSql = engine === DatabaseEngine.MYSQL;
      return new RawReply(isSql ? 'application/sql' : 'application/octet-stream', streamedBody(chunks), {
        headers: { 'Content-Disposition': asAttachment(`${name}.${isSql ? 'sql' : 'dump'}`) },
      });
    },
  }),
  route({
    method: 'POST',
    path: `${path}/import`,
    summary: 'Run a dump against a database, as its own user',
    access: server(DatabaseServiceService.importDatabase, 'database.view_password'),
    rate: 'backup',
    body: { kind: 'upload' as const, schema: importBody },
    response: one(database.schema),
    handler: async ({ params, body, services, rpc, signal, maxUploadBytes }) => {
      const start = { serverId: params.id, databaseId: params.db_id };
      const chunks = messages(start, body, maxUploadBytes);
      const options = { ...rpc, timeoutMs: importTimeoutMs, signal };
      return database.present((await services.databases.importDatabase(chunks, options)).database);
    },
  }),
];

async function* messages(
  start: { serverId: string; databaseId: string },
  body: UploadBody<z.output<typeof importBody>>,
  maxBytes: number,
): AsyncGenerator<ImportDatabaseRequest> {
  yield { part: { $case: 'start', value: start } };
  let sizeBytes = 0;
  for await (const chunk of bytesOf(body)) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes)
      throw fail('UPLOAD_TOO_LARGE', `files may have at most ${maxBytes} bytes`, { limitBytes: maxBytes });
    for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
  }
  // Completeness mark: the stream of a dead sender ends too.
  yield { part: { $case: 'finish', value: { sizeBytes } } };
}

async function* bytesOf(body: UploadBody<z.output<typeof importBody>>): AsyncGenerator<Buffer> {
  if (body.kind === 'stream') yield* body.chunks;
  else yield body.content;
}
