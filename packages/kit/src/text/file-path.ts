/** Bytes of UTF-8; PATH_MAX of Linux. */
export const maxFilePathBytes = 4096;
/** NAME_MAX of common Linux file systems. */
export const maxFileNameBytes = 255;
const maxDepth = 64;

/** Controls forge lines in logs and terminals, direction marks disguise names. */
// oxlint-disable-next-line no-control-regex -- refusing control characters is what this is for
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;
const allControls = new RegExp(controls.source, 'gu');
/** The backslash is a separator on other systems. */
const allRefused = new RegExp(controls.source.replace('[', '[\\\\'), 'gu');

/** Patterns may have the backslash. */
export function hasControlCharacters(text: string): boolean {
  return controls.test(text);
}

export function withoutControlCharacters(text: string, replacement: string): string {
  return text.replace(allControls, replacement);
}

export function withoutRefusedCharacters(name: string, replacement: string): string {
  return name.replace(allRefused, replacement);
}

/** Null without a problem. */
export function pathCharacterProblem(text: string): string | null {
  const isRefused = controls.test(text) || text.includes('\\');
  return isRefused ? 'must not contain control characters or backslashes' : null;
}

/**
 * For server file paths in every service. The leading slash is optional; empty and `.` components are ignored; no
 * names: the root.
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
