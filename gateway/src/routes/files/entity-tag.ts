import { createHash } from 'node:crypto';
import type { CallOptions } from '@panel/rpc';
import { fileEntityTag, invalidFields, isAppError, isSameVersion } from '@panel/kit';
import type { FileEntry } from '@panel/protos/files';
import { fail } from '../../reasons.js';
import { type GrantedFiles, readFile } from './node-files.js';

/** Larger files are changed conditionally by their SHA-256 only. */
const maxHashedBytes = 64 * 1024 * 1024;

/** The ETag of a file's bytes. */
export function entityTag({ sizeBytes, modifyTime }: FileEntry): string {
  return fileEntityTag({ sizeBytes, modifiedAt: modifyTime ?? new Date(0) }, new Date());
}

/**
 * The SHA-256 that the file must have for an If-Match header; empty without one. The header is that SHA-256 itself or the
 * ETag of a download: then the file is read with a grant of its own and hashed, so that the files service can compare its
 * content while it writes. Throws FILE_CHANGED when the ETag is not the current one, or the file is gone.
 */
export async function requiredSha256(
  openForReading: () => Promise<GrantedFiles>,
  path: string,
  header: string | string[] | undefined,
  rpc: CallOptions,
): Promise<string> {
  if (header === undefined) return '';
  const text = String(header).trim();
  const sha256 = /^"?([0-9a-f]{64})"?$/i.exec(text)?.[1];
  if (sha256 !== undefined) return sha256.toLowerCase();
  if (!/^(W\/)?"[0-9a-z]+-[0-9a-z]+"$/.test(text)) {
    throw invalidFields({ 'If-Match': ['must be the ETag or the SHA-256 of the file'] });
  }
  const { entry, chunks } = await readFile(await openForReading(), { path, offset: 0, limit: 0 }, rpc).catch(
    (error: unknown) => {
      throw isAppError(error, 'FILE_NOT_FOUND') ? fail('FILE_CHANGED', 'the file was removed', { path }) : error;
    },
  );
  try {
    if (!isSameVersion(text, entityTag(entry))) throw fail('FILE_CHANGED', 'the file has changed', { path });
    if (entry.sizeBytes > maxHashedBytes) {
      throw invalidFields({ 'If-Match': [`must be the SHA-256 for files larger than ${maxHashedBytes} bytes`] });
    }
    const hash = createHash('sha256');
    for await (const chunk of chunks) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    await chunks.return(undefined);
  }
}
