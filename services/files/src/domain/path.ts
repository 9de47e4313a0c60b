import { invalidFields } from '@panel/kit';

/** The components of a path below a server's root, as bytes; none for the root itself. Never empty, `.`, `..` or with a slash. */
export type Segments = readonly Buffer[];

const maxPathBytes = 4096;
/** NAME_MAX of every Linux file system that matters. */
const maxSegmentBytes = 255;
const maxDepth = 64;

/**
 * What a path may not hold: control characters, which forge lines in logs and terminals; direction marks, which make a
 * name look like another; and the backslash, which is a separator on the machines some of these files travel to.
 */
// oxlint-disable-next-line no-control-regex -- refusing control characters is what this is for
const refusedCharacters = /[\u0000-\u001f\u007f-\u009f\\\u2028-\u202e\u2066-\u2069]/u;
// oxlint-disable-next-line no-control-regex -- as above
const allRefusedCharacters = /[\u0000-\u001f\u007f-\u009f\\\u2028-\u202e\u2066-\u2069]/gu;

/** Stands for what a name holds and cannot be shown or asked for. */
export const replacement = '\ufffd';

/**
 * The one function that turns a caller's text into a path. It begins at the server's root with or without a slash; empty
 * and `.` components mean nothing. Throws INVALID_FIELDS naming `field` for everything else that is not plain: `..`,
 * refused characters, components over 255 bytes, more than 64 of them, over 4096 bytes, no text at all.
 */
export function parsePath(text: string, field: string): Segments {
  const refuse = (message: string) => invalidFields({ [field]: [message] });
  if (text === '') throw refuse('must not be empty; / is the root');
  if (Buffer.byteLength(text) > maxPathBytes) throw refuse(`must be at most ${maxPathBytes} bytes`);
  if (refusedCharacters.test(text)) throw refuse('must not contain control characters or backslashes');
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refuse('must not contain ..');
  if (segments.length > maxDepth) throw refuse(`must be at most ${maxDepth} levels deep`);
  const bytes = segments.map((segment) => Buffer.from(segment));
  if (bytes.some((segment) => segment.length > maxSegmentBytes)) {
    throw refuse(`names must be at most ${maxSegmentBytes} bytes`);
  }
  return bytes;
}

/**
 * A name on disk as it is shown: what is not UTF-8, and what `parsePath` refuses, reads U+FFFD. Asking for that name
 * finds the file again, so that odd files made by a game can be read and deleted.
 */
export function displayName(name: Buffer): string {
  return name.toString('utf8').replace(allRefusedCharacters, replacement);
}

/** A path as it is shown and matched, without a slash in front; empty for the root. */
export function displayPath(segments: Segments): string {
  return segments.map(displayName).join('/');
}
