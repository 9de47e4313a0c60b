import { AppError } from '@panel/kit/errors';
import { applicableRange, asAttachment, matchesEntityTag, resolveRange } from '@panel/kit/http';
import type { Backup, BackupServiceService } from '@panel/protos/files';
import type { CallOptions, Client } from '@panel/rpc';
import type { DownloadHeaders } from '../../http/download-headers.js';
import { RawReply } from '../../http/raw-reply.js';
import { openDownload } from '../../http/stream-chunks.js';
import { streamedBody } from '../../http/streamed-body.js';
import { fail } from '../../reasons.js';

export interface GrantedBackup {
  readonly client: Client<typeof BackupServiceService>;
  readonly grant: string;
  readonly backupId: string;
}

interface OpenDownload {
  readonly backup: Backup;
  /** Null: created while sent. */
  readonly totalBytes: number | null;
  readonly chunks: AsyncGenerator<Buffer>;
}

/** The ETag is the checksum: ranges fit together. */
export async function downloadBackup(
  granted: GrantedBackup,
  headers: DownloadHeaders,
  rpc: CallOptions,
): Promise<RawReply> {
  // only the first response has the size, which suffix ranges need
  const head = await open(granted, { offset: 0, limit: 1 }, rpc);
  await head.chunks.return(undefined);
  const { backup, totalBytes } = head;
  const entityTag = `"${backup.checksum}"`;
  if (matchesEntityTag(headers.ifNoneMatch, entityTag)) {
    return new RawReply('', '', { status: 304, headers: { ETag: entityTag } });
  }
  const range = applicableRange(headers, entityTag);
  const shared = { 'Content-Disposition': asAttachment(fileNameOf(backup)), ETag: entityTag };
  if (totalBytes === null) {
    const { chunks } = await open(granted, { offset: 0, limit: 0 }, rpc);
    return reply(chunks, { headers: { ...shared, 'Accept-Ranges': 'none' } });
  }
  const part = resolveRange(range, totalBytes);
  if (!part) throw fail('RANGE_NOT_SATISFIABLE', `the backup has ${totalBytes} bytes`, { sizeBytes: totalBytes });
  const length = part.last - part.first + 1;
  const { chunks } = await open(granted, { offset: part.first, limit: length }, rpc);
  const isPartial = range.kind !== 'all';
  return reply(exactly(length, chunks), {
    status: isPartial ? 206 : 200,
    length,
    headers: {
      ...shared,
      'Accept-Ranges': 'bytes',
      ...(isPartial ? { 'Content-Range': `bytes ${part.first}-${part.last}/${totalBytes}` } : {}),
    },
  });
}

function reply(chunks: AsyncGenerator<Buffer>, options: RawReply['options']): RawReply {
  return new RawReply('application/gzip', streamedBody(chunks), options);
}

async function open(
  { client, grant, backupId }: GrantedBackup,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  rpc: CallOptions,
): Promise<OpenDownload> {
  const request = { grant, backupId, offsetBytes: offset, limitBytes: limit };
  // no deadline: the reader sets the pace; ends with the request
  const messages = client.downloadBackup(request, { ...rpc, timeoutMs: undefined });
  const { first: start, chunks } = await openDownload(messages, 'start');
  if (!start.backup) throw new AppError('internal', 'INTERNAL', 'the files service did not begin with the backup');
  const totalBytes = start.totalBytes < 0 ? null : start.totalBytes;
  return { backup: start.backup, totalBytes, chunks };
}

/** Missing bytes end the connection. */
async function* exactly(length: number, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let remaining = length;
  for await (const chunk of chunks) {
    yield chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
    remaining -= Math.min(remaining, chunk.length);
    if (remaining === 0) return;
  }
  if (remaining > 0) throw fail('FILE_CHANGED', 'the backup ended too early', { missingBytes: remaining });
}

function fileNameOf({ name, createTime }: Backup): string {
  const plain = name.replace(/[^\p{L}\p{N} ._-]+/gu, '-').trim() || 'backup';
  return `${plain.slice(0, 100)}-${(createTime ?? new Date(0)).toISOString().slice(0, 10)}.tar.gz`;
}
