import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isAppError } from '@panel/kit/errors';
import { applicableRange, asAttachment, fileEntityTag, resolveRange } from '@panel/kit/http';
import type { DownloadLink } from '../domain/download-link.js';
import type { Entry } from '../jail/entries.js';
import { fail } from '../reasons.js';
import { readDirectoryAsArchive } from '../usecases/files/read-directory-as-archive.js';
import { releaseDownloadLink } from '../usecases/files/release-download-link.js';
import { useDownloadLink } from '../usecases/files/use-download-link.js';
import { openFile } from '../usecases/files/read-file.js';
import { readChunks } from '../jail/read-chunks.js';
import type { DirectExchange } from './exchange.js';
import { requireReadingPace } from './pace.js';

const chunkBytes = 256 * 1024;
/** Would disclose a server, its files or a link's maker. */
const refusals: ReadonlySet<string> = new Set([
  'unauthenticated',
  'permission_denied',
  'not_found',
  'failed_precondition',
]);

/** A file, a range, or a directory as an archive. Throws DOWNLOAD_LINK_INVALID, OPERATION_LIMIT. */
export async function download(exchange: DirectExchange): Promise<void> {
  try {
    // HEAD previews must not use up a link
    if (exchange.request.method !== 'GET') throw fail('DOWNLOAD_LINK_INVALID', 'a link is for one GET');
    await send(exchange);
  } catch (error) {
    if (!isAppError(error) || !refusals.has(error.kind)) throw error;
    throw fail('DOWNLOAD_LINK_INVALID', 'there is no such link', {}, { cause: error });
  }
}

async function send(exchange: DirectExchange): Promise<void> {
  const { context, id: linkId, ip, request, response, serverId } = exchange;
  const isRange = request.headers.range !== undefined;
  const { link, claim } = await useDownloadLink(context, { linkId, serverId, ip, isRange });
  try {
    await sendLinked(exchange, link);
  } catch (error) {
    if (claim !== null && !response.headersSent) {
      // the refusal says more; without it the link stays used
      await releaseDownloadLink(context, { linkId, serverId, claim }).catch(() => undefined);
    }
    throw error;
  }
}

async function sendLinked(exchange: DirectExchange, link: DownloadLink): Promise<void> {
  const { authority, context, downloads, ip, serverId, signal } = exchange;
  const permission = 'file.read-content';
  const grant = await authority.grantFor({ madeWith: link.madeWith, serverId, permission, ip });
  const access = { grant, signal, path: link.path };
  if (link.isDirectory) return sendArchive(exchange, link.name, readDirectoryAsArchive(context, access));
  const leave = downloads.take(grant);
  try {
    const { file, entry } = await openFile(context, access);
    try {
      await sendFile(exchange, link.name, file, entry);
    } finally {
      await file.close();
    }
  } finally {
    leave();
  }
}

async function sendFile(exchange: DirectExchange, name: string, file: FileHandle, entry: Entry): Promise<void> {
  const { context, request, response, signal } = exchange;
  const { sizeBytes } = entry;
  const { range: asked, 'if-range': ifRange } = request.headers;
  const version = fileEntityTag(entry, new Date());
  const range = applicableRange({ range: asked, ifRange: typeof ifRange === 'string' ? ifRange : undefined }, version);
  const part = resolveRange(range, sizeBytes);
  if (!part) throw fail('RANGE_NOT_SATISFIABLE', `the file has ${sizeBytes} bytes`, { sizeBytes });
  const length = part.last - part.first + 1;
  const isPartial = range.kind !== 'all';
  response.writeHead(isPartial ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': length,
    'Content-Disposition': asAttachment(name),
    'Accept-Ranges': 'bytes',
    ETag: version,
    ...(isPartial ? { 'Content-Range': `bytes ${part.first}-${part.last}/${sizeBytes}` } : {}),
  });
  if (length === 0) {
    response.end();
    return;
  }
  let sentBytes = 0;
  const chunks = async function* () {
    for await (const chunk of readChunks(file, part.first, length)) {
      sentBytes += chunk.length;
      yield chunk;
    }
  };
  try {
    await pipeline(paced(exchange, chunks()), response, { signal, end: false });
  } finally {
    context.metrics.bytes.inc({ direction: 'read', way: 'direct' }, sentBytes);
  }
  // the file shrank: after the headers only a broken connection shows it
  if (sentBytes < length) response.destroy();
  else response.end();
}

async function sendArchive(exchange: DirectExchange, name: string, chunks: AsyncGenerator<Buffer>): Promise<void> {
  const { context, response, signal } = exchange;
  // errors before the first byte still get a status
  const first = await chunks.next();
  response.writeHead(200, { 'Content-Type': 'application/gzip', 'Content-Disposition': asAttachment(name) });
  const all = async function* () {
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) {
      context.metrics.bytes.inc({ direction: 'read', way: 'direct' }, chunk.value.length);
      yield chunk.value;
    }
  };
  await pipeline(Readable.from(paced(exchange, all()), { objectMode: false, highWaterMark: chunkBytes }), response, {
    signal,
  });
}

function paced({ monotonicClock, response }: DirectExchange, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return requireReadingPace(chunks, { clock: monotonicClock, cut: () => response.destroy() });
}
