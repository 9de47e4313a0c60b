import { invalidFields } from '@panel/kit/errors';
import { splitFilePath, withoutRefusedCharacters } from '@panel/rpc';
import { isTempName } from './temp-name.js';

/** PATH_MAX: no system call opens a longer path, so programs cannot use such a file either. */
export const maxPathBytes = 4096;

/** The components of a path below a server's root, as bytes; none for the root itself. Never empty, `.`, `..` or with a slash. */
export type Segments = readonly Buffer[];

/** Stands for what a name holds and cannot be shown or asked for. */
export const replacement = '\ufffd';

/** A caller's text as a path (`splitFilePath`). Throws INVALID_FIELDS naming `field` for everything that is not plain. */
export function parsePath(text: string, field: string): Segments {
  const split = splitFilePath(text);
  if ('problem' in split) throw invalidFields({ [field]: [split.problem] });
  if (split.names.some(isTempName)) throw invalidFields({ [field]: ['has a name that the panel keeps for itself'] });
  return split.names.map((name) => Buffer.from(name));
}

/**
 * A name on disk as it is shown: what is not UTF-8, and what `parsePath` refuses, reads U+FFFD. Asking for that name
 * finds the file again, so that odd files made by a game can be read and deleted.
 */
export function displayName(name: Buffer): string {
  return withoutRefusedCharacters(name.toString('utf8'), replacement);
}

/** A path as it is shown and matched, without a slash in front; empty for the root. */
export function displayPath(segments: Segments): string {
  return segments.map(displayName).join('/');
}
