import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { CallOptions } from '@panel/rpc';
import { invalidFields, parseRange, resolveRange, asAttachment } from '@panel/kit';
import type { FileEntry } from '@panel/protos/files';
import { HeadedReply } from '../../http/headed-reply.js';
import { RawReply } from '../../http/raw-reply.js';
import { fail } from '../../reasons.js';
import { entityTag, isUnmodified } from './entity-tag.js';
import { type GrantedFiles, readFile } from './node-files.js';
import { presentContents } from './present.js';

const maxJsonBytes = 4 * 1024 * 1024;

/** The headers of a request for the contents of a file. */
export interface ContentHeaders {
  readonly accept: string | undefined;
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** Whether the client wants the bytes instead of an envelope; a range only makes sense for bytes. */
export function wantsBytes({ accept, range }: ContentHeaders): boolean {
  return range !== undefined || /application\/octet-stream|text\/plain/i.test(accept ?? '');
}

/** A small file inside the envelope. */
export async function contentsAsJson(files: GrantedFiles, path: string, rpc: CallOptions, headers: ContentHeaders) {
  const { entry, chunks } = await readFile(files, { path, offset: 0, limit: maxJsonBytes + 1 }, rpc);
  if (isUnmodified(headers.ifNoneMatch, entry)) return notModified(entry, chunks);
  const collected: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    collected.push(chunk);
    size += chunk.length;
    if (size > maxJsonBytes) {
      const message = 'is larger than 4 MiB: request it with Accept: application/octet-stream';
      throw invalidFields({ path: [message] });
    }
  }
  return new HeadedReply(presentContents(path, entry, Buffer.concat(collected, size)), { ETag: entityTag(entry) });
}

/** The bytes, streamed: all of them, or the part that `Range` names. */
export async function contentsAsBytes(
  files: GrantedFiles,
  path: string,
  rpc: CallOptions,
  headers: ContentHeaders,
  name = posix.basename(path) || 'file',
): Promise<RawReply> {
  const range = parseRange(headers.range);
  let section = { offset: 0, limit: 0 };
  if (range.kind === 'from') {
    section = { offset: range.first, limit: range.last === null ? 0 : range.last - range.first + 1 };
  } else if (range.kind === 'last') {
    // The offset of the last bytes depends on the size.
    const { entry, chunks } = await readFile(files, { path, offset: 0, limit: 1 }, rpc);
    await chunks.return(undefined);
    section = { offset: Math.max(0, entry.sizeBytes - range.count), limit: range.count };
  }
  const { entry, chunks } = await readFile(files, { path, ...section }, rpc);
  if (isUnmodified(headers.ifNoneMatch, entry)) return notModified(entry, chunks);
  const part = resolveRange(range, entry.sizeBytes);
  if (part === null) {
    await chunks.return(undefined);
    throw fail('RANGE_NOT_SATISFIABLE', `the file has ${entry.sizeBytes} bytes`, { sizeBytes: entry.sizeBytes });
  }
  const isPartial = range.kind !== 'all';
  const length = part.last - part.first + 1;
  return new RawReply(
    headers.accept?.toLowerCase().includes('text/plain') ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    Readable.from(exactly(length, chunks), { objectMode: false, highWaterMark: 1024 * 1024 }),
    {
      status: isPartial ? 206 : 200,
      length,
      headers: {
        'Accept-Ranges': 'bytes',
        'Content-Disposition': asAttachment(name),
        ETag: entityTag(entry),
        ...(isPartial ? { 'Content-Range': `bytes ${part.first}-${part.last}/${entry.sizeBytes}` } : {}),
      },
    },
  );
}

async function notModified(entry: FileEntry, chunks: AsyncGenerator<Buffer>): Promise<RawReply> {
  await chunks.return(undefined);
  return new RawReply('application/json', '', { status: 304, headers: { ETag: entityTag(entry) } });
}

/**
 * Exactly as many bytes as Content-Length declares, of a file that may grow or shrink while it is read. Additional bytes
 * would be read as the next response; for missing bytes the client would wait, so this throws.
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
