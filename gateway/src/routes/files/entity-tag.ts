import { createHash } from 'node:crypto';
import type { CallOptions } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit/errors';
import { fileEntityTag, isSameVersion } from '@panel/kit/http';
import type { FileEntry } from '@panel/protos/files';
import { fail } from '../../reasons.js';
import { type GrantedFiles, readFile } from './node-files.js';

/** Larger files are changed conditionally by their SHA-256 only. */
const maxHashedBytes = 64 * 1024 * 1024;

/** The ETag of a file's bytes. */
export function entityTag({ sizeBytes, modifyTime }: FileEntry): string {
  return fileEntityTag({ sizeBytes, modifiedAt: modifyTime ?? new Date(0) }, new Date());
}

/** What has to be there for a file to be replaced. */
export interface WriteCondition {
  /** SHA-256 in hex of its content; empty: any. */
  readonly ifMatchSha256: string;
  /** Whether there has to be a file at all. */
  readonly mustExist: boolean;
}

/**
 * The condition of an If-Match header (RFC 9110 §13.1.1): `*`, or a list of SHA-256s of the file and ETags of its downloads,
 * of which one has to be the current one. For anything but `*` and a single SHA-256 the file is read with a grant of its
 * own and hashed, so that the files service can compare its content while it writes: therefore weak ETags count, too.
 * Throws FILE_CHANGED when none is current, or the file is gone.
 */
export async function writeConditionOf(
  openForReading: () => Promise<GrantedFiles>,
  path: string,
  header: string | string[] | undefined,
  rpc: CallOptions,
): Promise<WriteCondition> {
  if (header === undefined) return { ifMatchSha256: '', mustExist: false };
  if (String(header).trim() === '*') return { ifMatchSha256: '', mustExist: true };
  const versions = parseVersions(String(header));
  const [first] = versions.sha256s;
  const isOneSha256 = versions.sha256s.length === 1 && versions.entityTags.length === 0;
  const ifMatchSha256 =
    isOneSha256 && first !== undefined ? first : await currentSha256(await openForReading(), path, versions, rpc);
  return { ifMatchSha256, mustExist: true };
}

interface Versions {
  readonly sha256s: readonly string[];
  readonly entityTags: readonly string[];
}

function parseVersions(header: string): Versions {
  const sha256s: string[] = [];
  const entityTags: string[] = [];
  // Empty elements of a list count for nothing (RFC 9110 §5.6.1).
  for (const one of header.split(',').map((text) => text.trim())) {
    const sha256 = /^"?([0-9a-f]{64})"?$/i.exec(one)?.[1];
    if (sha256 !== undefined) sha256s.push(sha256.toLowerCase());
    else if (/^(W\/)?"[0-9a-z]+-[0-9a-z]+"$/.test(one)) entityTags.push(one);
    else if (one !== '') throw notAVersion();
  }
  if (sha256s.length + entityTags.length === 0) throw notAVersion();
  return { sha256s, entityTags };
}

function notAVersion() {
  return invalidFields({ 'If-Match': ['must be the ETag or the SHA-256 of the file, several of them, or *'] });
}

/** The SHA-256 that the file has now, which is of one of these versions. */
async function currentSha256(
  files: GrantedFiles,
  path: string,
  { sha256s, entityTags }: Versions,
  rpc: CallOptions,
): Promise<string> {
  const { entry, chunks } = await readFile(files, { path, offset: 0, limit: 0 }, rpc).catch((error: unknown) => {
    throw isAppError(error, 'FILE_NOT_FOUND') ? fail('FILE_CHANGED', 'the file was removed', { path }) : error;
  });
  try {
    const hasTag = entityTags.some((one) => isSameVersion(one, entityTag(entry)));
    if (!hasTag && sha256s.length === 0) throw fail('FILE_CHANGED', 'the file has changed', { path });
    if (entry.sizeBytes > maxHashedBytes) {
      throw invalidFields({ 'If-Match': [`must be one SHA-256 for files larger than ${maxHashedBytes} bytes`] });
    }
    const hash = createHash('sha256');
    for await (const chunk of chunks) hash.update(chunk);
    const sha256 = hash.digest('hex');
    if (!hasTag && !sha256s.includes(sha256)) throw fail('FILE_CHANGED', 'the file has changed', { path });
    return sha256;
  } finally {
    await chunks.return(undefined);
  }
}
