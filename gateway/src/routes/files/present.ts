import { createHash } from 'node:crypto';
import type { FileEntry } from '@panel/protos/files';
import type { z } from 'zod';
import { isoTime } from '../../declaration/present.js';
import type { fileContents, fileEntry } from './schema.js';

export function presentEntry(entry: FileEntry): z.input<typeof fileEntry> {
  return {
    name: entry.name,
    mode: entry.mode,
    mode_bits: entry.modeBits,
    size: entry.sizeBytes,
    is_file: entry.isFile,
    is_symlink: entry.isSymlink,
    mimetype: entry.mimetype,
    created_at: isoTime(entry.createTime),
    modified_at: isoTime(entry.modifyTime),
  };
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text as text, anything else in base64; either way the bytes can be had back exactly. */
export function presentContents(
  path: string,
  entry: Pick<FileEntry, 'modifyTime'>,
  bytes: Buffer,
): z.input<typeof fileContents> {
  const text = decoded(bytes);
  return {
    path,
    content: text ?? bytes.toString('base64'),
    encoding: text === null ? 'base64' : 'utf-8',
    size: bytes.length,
    modified_at: isoTime(entry.modifyTime),
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

function decoded(bytes: Buffer): string | null {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
