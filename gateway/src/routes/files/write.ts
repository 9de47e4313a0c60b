import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { FileServiceService, type WriteFileRequest } from '@panel/protos/files';
import { messageChunks } from '@panel/rpc';
import type { z } from 'zod';
import { fail } from '../../reasons.js';
import type { RouteRequest, UploadBody } from '../../declaration/route.js';
import { refuseIfNoneMatch, type WriteCondition, writeConditionOf } from './entity-tag.js';
import { openFiles } from './node-files.js';
import { type writeFileBody, type writeFileQuery, writtenFile } from './resource.js';

/** Bounds an endless upload; stalled connections close earlier. */
const uploadTimeoutMs = 24 * 60 * 60_000;

type WriteRouteRequest = RouteRequest<
  { readonly id: string },
  z.output<typeof writeFileQuery>,
  UploadBody<z.output<typeof writeFileBody>>
>;

interface Source {
  readonly path: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** 0: unknown. */
  readonly sizeBytes: number;
}

/** No process holds the whole file. */
export async function writeUpload(call: WriteRouteRequest): Promise<z.input<typeof writtenFile.schema>> {
  refuseIfNoneMatch(call.headers);
  const source = sourceOf(call);
  const { services, params, rpc } = call;
  const { client, grant } = await openFiles(services, params.id, FileServiceService.writeFile, rpc);
  await call.countUpload();
  const openForReading = async () => openFiles(services, params.id, FileServiceService.readFile, rpc);
  const start = {
    grant,
    path: source.path,
    sizeBytes: source.sizeBytes,
    ...(await writeConditionOf(openForReading, source.path, call.headers['if-match'], rpc)),
  };
  const options = { ...rpc, timeoutMs: uploadTimeoutMs, signal: call.signal };
  const { entry, sha256 } = await client.writeFile(messages(start, source.chunks, call.maxUploadBytes), options);
  return writtenFile.present({ entry, path: source.path, sha256 });
}

function sourceOf({ body, query, maxUploadBytes }: WriteRouteRequest): Source {
  if (body.kind === 'json') {
    const { value, content } = body;
    return { path: value.path, chunks: oneChunk(content), sizeBytes: content.length };
  }
  if (query.path === undefined) throw invalidFields({ path: [fieldProblem('required', 'is required')] });
  if ((body.sizeBytes ?? 0) > maxUploadBytes) throw tooLarge(maxUploadBytes);
  return { path: query.path, chunks: body.chunks, sizeBytes: body.sizeBytes ?? 0 };
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* messages(
  start: WriteCondition & { grant: string; path: string; sizeBytes: number },
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<WriteFileRequest> {
  yield { part: { $case: 'start', value: start } };
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
  }
  // Completeness mark: the stream of a dead sender ends too.
  yield { part: { $case: 'finish', value: { sizeBytes } } };
}

function tooLarge(limitBytes: number) {
  return fail('UPLOAD_TOO_LARGE', `files may have at most ${limitBytes} bytes`, { limitBytes });
}
