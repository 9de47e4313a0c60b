import { invalidFields } from '@panel/kit/errors';
import { splitFilePath, withoutRefusedCharacters } from '@panel/kit/text';
import { isTempName } from './temp-name.js';

/** PATH_MAX. */
export const maxPathBytes = 4096;

/** Below a server's root (empty: the root); never empty, `.`, `..` or with a slash. */
export type Segments = readonly Buffer[];

/** For undisplayable characters. */
export const replacement = '\ufffd';

/** By `splitFilePath`. Throws INVALID_FIELDS for `field`. */
export function parsePath(text: string, field: string): Segments {
  const split = splitFilePath(text);
  if ('problem' in split) throw invalidFields({ [field]: [split.problem] });
  if (split.names.some(isTempName)) throw invalidFields({ [field]: ['has a name that the panel keeps for itself'] });
  return split.names.map((name) => Buffer.from(name));
}

/** Non-UTF-8 and refused characters become U+FFFD; the result still resolves to the file, for reads and deletion. */
export function displayName(name: Buffer): string {
  return withoutRefusedCharacters(name.toString('utf8'), replacement);
}

/** Without leading slash; empty for the root. */
export function displayPath(segments: Segments): string {
  return segments.map(displayName).join('/');
}
