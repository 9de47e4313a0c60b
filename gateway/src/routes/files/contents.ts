import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { CallOptions } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { FileEntry } from '@panel/protos/files';
import { parseRange, resolveRange } from '../../http/byte-range.js';
import { asAttachment, RawReply } from '../../http/raw-reply.js';
import { fail } from '../../reasons.js';
import { type GrantedFiles, readFile } from './node-files.js';
import { presentContents } from './present.js';

const maxJsonBytes = 4 * 1024 * 1024;

/** Whether the client would rather have the bytes than an envelope. */
export function wantsBytes(accept: string | undefined): boolean {
  return /application\/octet-stream|text\/plain/i.test(accept ?? '');
}

/** A small file inside the envelope. */
export async function contentsAsJson(files: GrantedFiles, path: string, rpc: CallOptions) {
  const { entry, chunks } = await readFile(files, { path, offset: 0, limit: maxJsonBytes + 1 }, rpc);
  const collected: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    collected.push(chunk);
    size += chunk.length;
    if (size > maxJsonBytes) {
      const message = 'is larger than 4 MiB: ask with Accept: application/octet-stream';
      throw invalidFields({ path: [message] });
    }
  }
  return presentContents(path, entry, Buffer.concat(collected, size));
}

/** The bytes themselves, streamed, or the part of them that `Range` names. */
export async function contentsAsBytes(
  files: GrantedFiles,
  path: string,
  rpc: CallOptions,
  headers: { readonly range: string | undefined; readonly accept: string | undefined },
): Promise<RawReply> {
  const range = parseRange(headers.range);
  let section = { offset: 0, limit: 0 };
  if (range.kind === 'from') {
    section = { offset: range.first, limit: range.last === null ? 0 : range.last - range.first + 1 };
  } else if (range.kind === 'last') {
    // How far back the end begins is known only when the size is.
    const { entry, chunks } = await readFile(files, { path, offset: 0, limit: 1 }, rpc);
    await chunks.return(undefined);
    section = { offset: Math.max(0, entry.sizeBytes - range.count), limit: range.count };
  }
  const { entry, chunks } = await readFile(files, { path, ...section }, rpc);
  const part = resolveRange(range, entry.sizeBytes);
  if (part === null) {
    await chunks.return(undefined);
    throw fail('RANGE_NOT_SATISFIABLE', `the file has ${entry.sizeBytes} bytes`);
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
        'Content-Disposition': asAttachment(posix.basename(path) || 'file'),
        ETag: entityTag(entry),
        ...(isPartial ? { 'Content-Range': `bytes ${part.first}-${part.last}/${entry.sizeBytes}` } : {}),
      },
    },
  );
}

/**
 * As many bytes as were promised in Content-Length, of a file that may grow or shrink while it is read: more would be read
 * as the beginning of the next answer, and for missing ones a client would wait for ever, so then this throws.
 */
async function* exactly(length: number, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of chunks) {
    yield chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= Math.min(left, chunk.length);
    if (left === 0) return;
  }
  if (left > 0) throw fail('FILE_CHANGED', 'the file became shorter while it was read', { missingBytes: left });
}

/** Weak: made of size and time, which is what a directory knows without reading the file. */
function entityTag(entry: FileEntry): string {
  return `W/"${entry.sizeBytes.toString(36)}-${(entry.modifyTime?.getTime() ?? 0).toString(36)}"`;
}
