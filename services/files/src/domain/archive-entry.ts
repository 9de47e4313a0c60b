import { isAppError } from '@panel/kit/errors';
import { withoutControlCharacters } from '@panel/kit/text';
import { fail } from '../reasons.js';
import { parsePath, type Segments } from './path.js';

/** Including parent directories. */
const maxArchiveEntries = 100_000;
/** Paths stay in memory, and compress to almost nothing. */
const maxPathLengths = 32 * 1024 * 1024;
/** Any ratio below this is harmless. */
const freeRatioBytes = 64 * 1024 * 1024;
/** Zip compresses zeros 1000:1; game worlds reach about 100:1. */
const maxRatio = 250;

/**
 * Empty: the target itself. Throws ARCHIVE_UNSAFE for an absolute path, `..`, a backslash, control characters, long
 * names.
 */
export function parseEntryName(name: string, entry = name): Segments {
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw unsafeError(entry, 'an absolute path');
  try {
    return parsePath(name, 'entry');
  } catch (error) {
    if (isAppError(error, 'INVALID_FIELDS')) throw unsafeError(entry, 'a path that leads outside, or is malformed');
    throw error;
  }
}

/**
 * Of a symbolic link below the extracted tree: `..` only in front, at most up to its root, then names. So every link
 * leads inside, also through other links of the archive. False for an absolute one, and one that climbs above the
 * root. Throws ARCHIVE_UNSAFE for names that no entry has.
 */
export function leadsInside(target: string, link: Segments, name: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const ups = up === -1 ? parts.length : up;
  if (target === '' || target.startsWith('/') || ups >= link.length) return false;
  const names = parts.slice(ups).join('/');
  if (names !== '') parseEntryName(names, name);
  return true;
}

/** Whether an archive keeps the link at `link`. */
export function isRetainedLink(target: string, link: Segments): boolean {
  try {
    return leadsInside(target, link, '');
  } catch (error) {
    if (isAppError(error, 'ARCHIVE_UNSAFE')) return false;
    throw error;
  }
}

export class EntryCount {
  #entries = 0;
  #pathLengths = 0;

  /** Throws ARCHIVE_LIMIT. */
  add(path: string, linkTarget = ''): void {
    this.#entries += 1;
    this.#pathLengths += path.length + linkTarget.length;
    if (this.#entries > maxArchiveEntries)
      throw fail('ARCHIVE_LIMIT', 'the archive holds too many entries', { limit: 'entries' });
    if (this.#pathLengths > maxPathLengths)
      throw fail('ARCHIVE_LIMIT', 'the paths in the archive are too long', { limit: 'paths' });
  }
}

/** False for an archive bomb. */
export function isPlausibleRatio(extractedBytes: number, archiveBytes: number): boolean {
  return extractedBytes <= freeRatioBytes || extractedBytes <= archiveBytes * maxRatio;
}

/** Throws ARCHIVE_LIMIT for an archive bomb. */
export function requirePlausibleRatio(extractedBytes: number, archiveBytes: number): void {
  if (isPlausibleRatio(extractedBytes, archiveBytes)) return;
  throw fail('ARCHIVE_LIMIT', 'the content is implausibly large for the size of the archive', { limit: 'ratio' });
}

export function unsafeError(name: string, problem: string) {
  const entry = withoutControlCharacters(name, '\ufffd').slice(0, 200);
  return fail('ARCHIVE_UNSAFE', `the archive holds ${problem}`, { entry });
}
