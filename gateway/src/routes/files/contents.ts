import { posix } from 'node:path';
import type { CallOptions } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import {
  applicableRange,
  asAttachment,
  asWeak,
  type ByteRange,
  matchesEntityTag,
  parseRange,
  resolveRange,
} from '@panel/kit/http';
import { isoTime } from '../../declaration/present.js';
import type { DownloadHeaders } from '../../http/download-headers.js';
import { RawReply } from '../../http/raw-reply.js';
import { streamedBody } from '../../http/streamed-body.js';
import { fail } from '../../reasons.js';
import { type ContentsRequest, contentsReply } from './contents-reply.js';
import { entityTag } from './entity-tag.js';
import { type GrantedFiles, readFile } from './node-files.js';

const maxJsonBytes = 4 * 1024 * 1024;

interface WantedBytes extends DownloadHeaders {
  readonly type: string;
  /** File name at the client; default its own. */
  readonly name?: string;
}

export async function contentsAsJson(
  files: GrantedFiles,
  path: string,
  request: ContentsRequest,
  headers: DownloadHeaders,
): Promise<RawReply> {
  const rpc = { ...request.rpc, signal: request.signal };
  const { entry, chunks } = await readFile(files, { path, offset: 0, limit: maxJsonBytes + 1 }, rpc);
  const version = asWeak(entityTag(entry));
  if (matchesEntityTag(headers.ifNoneMatch, version)) return notModified(version, chunks);
  const held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    size += chunk.length;
    if (size > maxJsonBytes) {
      const message = 'is larger than 4 MiB: request it with Accept: application/octet-stream';
      throw invalidFields({ path: [message] });
    }
  }
  const bytes = Buffer.concat(held, size);
  return contentsReply(request, bytes, { path, modifiedAt: isoTime(entry.modifyTime) }, { ETag: version });
}

/** Streamed: all, or by `Range`. */
export async function contentsAsBytes(
  files: GrantedFiles,
  path: string,
  rpc: CallOptions,
  wanted: WantedBytes,
): Promise<RawReply> {
  const { entry, chunks, range } = await readWanted(files, path, rpc, wanted);
  const version = entityTag(entry);
  if (matchesEntityTag(wanted.ifNoneMatch, version)) return notModified(version, chunks);
  const part = resolveRange(range, entry.sizeBytes);
  if (part === null) {
    await chunks.return(undefined);
    throw fail('RANGE_NOT_SATISFIABLE', `the file has ${entry.sizeBytes} bytes`, { sizeBytes: entry.sizeBytes });
  }
  const isPartial = range.kind !== 'all';
  const length = part.last - part.first + 1;
  return new RawReply(wanted.type, streamedBody(exactly(length, chunks)), {
    status: isPartial ? 206 : 200,
    length,
    headers: {
      'Accept-Ranges': 'bytes',
      'Content-Disposition': asAttachment(wanted.name ?? (posix.basename(path) || 'file')),
      ETag: version,
      ...(isPartial ? { 'Content-Range': `bytes ${part.first}-${part.last}/${entry.sizeBytes}` } : {}),
    },
  });
}

/** Starts at the range. If-Range and suffix ranges need the entry first. */
async function readWanted(files: GrantedFiles, path: string, rpc: CallOptions, wanted: WantedBytes) {
  let range = parseRange(wanted.range);
  let section = sectionOf(range, 0);
  if (range.kind === 'last' || (range.kind === 'from' && wanted.ifRange !== undefined)) {
    const { entry, chunks } = await readFile(files, { path, offset: 0, limit: 1 }, rpc);
    await chunks.return(undefined);
    range = applicableRange(wanted, entityTag(entry));
    section = sectionOf(range, entry.sizeBytes);
  }
  return { ...(await readFile(files, { path, ...section }, rpc)), range };
}

function sectionOf(range: ByteRange, sizeBytes: number): { readonly offset: number; readonly limit: number } {
  if (range.kind === 'all') return { offset: 0, limit: 0 };
  if (range.kind === 'last') return { offset: Math.max(0, sizeBytes - range.count), limit: range.count };
  return { offset: range.first, limit: range.last === null ? 0 : range.last - range.first + 1 };
}

async function notModified(version: string, chunks: AsyncGenerator<Buffer>): Promise<RawReply> {
  await chunks.return(undefined);
  return new RawReply('', '', { status: 304, headers: { ETag: version } });
}

/**
 * Exactly Content-Length, though the file may change. Extra bytes would corrupt the next response; missing ones throw,
 * or the client would wait.
 */
async function* exactly(length: number, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let remaining = length;
  for await (const chunk of chunks) {
    yield chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
    remaining -= Math.min(remaining, chunk.length);
    if (remaining === 0) return;
  }
  if (remaining > 0)
    throw fail('FILE_CHANGED', 'the file became shorter while it was read', { missingBytes: remaining });
}
