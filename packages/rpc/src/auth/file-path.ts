/** The longest path of a file of a server, in bytes of UTF-8; PATH_MAX of Linux. */
export const maxFilePathBytes = 4096;
/** NAME_MAX of every Linux file system that matters. */
export const maxFileNameBytes = 255;
const maxDepth = 64;

/**
 * What a path of a server may not hold besides the backslash: control characters, which forge lines in logs and terminals,
 * and direction marks, which make a name look like another.
 */
// oxlint-disable-next-line no-control-regex -- refusing control characters is what this is for
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;
const allControls = new RegExp(controls.source, 'gu');
/** The backslash is a separator on the machines some of these files travel to. */
const allRefused = new RegExp(controls.source.replace('[', '[\\\\'), 'gu');

/** Whether a text holds characters that no name of a file may have; a pattern may have the backslash. */
export function hasControlCharacters(text: string): boolean {
  return controls.test(text);
}

/** A text with `replacement` for each of its control characters and direction marks. */
export function withoutControlCharacters(text: string, replacement: string): string {
  return text.replace(allControls, replacement);
}

/** A name with `replacement` for each character that no path may have. */
export function withoutRefusedCharacters(name: string, replacement: string): string {
  return name.replace(allRefused, replacement);
}

/** What is wrong with the characters of a path, or of a rule for paths; null when nothing is. */
export function pathCharacterProblem(text: string): string | null {
  const isRefused = controls.test(text) || text.includes('\\');
  return isRefused ? 'must not contain control characters or backslashes' : null;
}

/**
 * The one rule of what a path of a server's file is, for every service: the names below the server's root, or what is
 * wrong. It begins at the root with or without a slash; empty and `.` components mean nothing; no names: the root itself.
 */
export function splitFilePath(text: string): { readonly names: string[] } | { readonly problem: string } {
  if (text === '') return { problem: 'must not be empty; / is the root' };
  if (Buffer.byteLength(text) > maxFilePathBytes) return { problem: `must be at most ${maxFilePathBytes} bytes` };
  const problem = pathCharacterProblem(text);
  if (problem !== null) return { problem };
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return { problem: 'must not contain ..' };
  if (names.length > maxDepth) return { problem: `must be at most ${maxDepth} levels deep` };
  const isLong = names.some((name) => Buffer.byteLength(name) > maxFileNameBytes);
  return isLong ? { problem: `names must be at most ${maxFileNameBytes} bytes` } : { names };
}
