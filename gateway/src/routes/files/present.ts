import { createHash } from 'node:crypto';
import type { FileEntry } from '@panel/protos/files';
import type { z } from 'zod';
import { isoTime } from '../../declaration/present.js';
import type { fileContents } from './resource.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text, or base64; lossless. */
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
