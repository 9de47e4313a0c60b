import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { CallOptions } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit/errors';
import { fileEntityTag, isSameVersion } from '@panel/kit/http';
import type { FileEntry } from '@panel/protos/files';
import { fail } from '../../reasons.js';
import { type GrantedFiles, readFile } from './node-files.js';

/** Larger files: conditions by SHA-256 only. */
const maxHashedBytes = 64 * 1024 * 1024;

export function entityTag({ sizeBytes, modifyTime }: FileEntry): string {
  return fileEntityTag({ sizeBytes, modifiedAt: modifyTime ?? new Date(0) }, new Date());
}

/** Precondition of a replacement. */
export interface WriteCondition {
  /** Hex SHA-256 of the content; empty: any. */
  readonly ifMatchSha256: string;
  /** The file must exist. */
  readonly mustExist: boolean;
}

/** Throws INVALID_FIELDS. */
export function refuseIfNoneMatch(headers: IncomingHttpHeaders): void {
  if (headers['if-none-match'] === undefined) return;
  throw invalidFields({ 'If-None-Match': ['cannot be a condition of writing: take If-Match'] });
}

/**
 * If-Match (RFC 9110 §13.1.1): `*`, or SHA-256s and download ETags, one of them current. Except for `*` and a single
 * SHA-256, reads and hashes the file with its own grant; the files service compares content at the write, so weak ETags
 * are allowed. Throws FILE_CHANGED.
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
  for (const one of listElements(header)) {
    const sha256 = /^"?([0-9a-f]{64})"?$/i.exec(one)?.[1];
    if (sha256 !== undefined) sha256s.push(sha256.toLowerCase());
    // A tag of any form, of a proxy too, is another version.
    else if (/^(W\/)?"[^"]*"$/.test(one)) entityTags.push(one);
    else throw notAVersion();
  }
  if (sha256s.length + entityTags.length === 0) throw notAVersion();
  return { sha256s, entityTags };
}

/** Empty ones are ignored (RFC 9110 §5.6.1); a tag may hold commas. */
function listElements(header: string): string[] {
  const elements: string[] = [];
  // Spaces before an element belong to it: two runs side by side would be tried in every division.
  const element = /(?:\s*((?:W\/)?"[^"]*"|[^,\s"]+))?\s*(?:,|$)/y;
  while (element.lastIndex < header.length) {
    const found = element.exec(header);
    if (!found) throw notAVersion();
    if (found[1] !== undefined) elements.push(found[1]);
  }
  return elements;
}

function notAVersion() {
  return invalidFields({ 'If-Match': ['must be the ETag or the SHA-256 of the file, several of them, or *'] });
}

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
