/** S_IFMT and its values, from <sys/stat.h>. */
const typeMask = 0o170000;
const typeLetters = new Map([
  [0o140000, 's'],
  [0o120000, 'l'],
  [0o100000, '-'],
  [0o060000, 'b'],
  [0o040000, 'd'],
  [0o020000, 'c'],
  [0o010000, 'p'],
]);

/** As `ls -l`, e.g. "-rw-r--r--". */
export function modeText(mode: number): string {
  const type = typeLetters.get(mode & typeMask) ?? '?';
  return (
    type + triad(mode >> 6, mode & 0o4000, 's') + triad(mode >> 3, mode & 0o2000, 's') + triad(mode, mode & 0o1000, 't')
  );
}

function triad(bits: number, special: number, letter: string): string {
  const execute = (bits & 1) !== 0;
  const last = special ? (execute ? letter : letter.toUpperCase()) : execute ? 'x' : '-';
  return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${last}`;
}

/** Octal, e.g. "644"; a fourth digit only when not 0. */
export function modeBits(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(3, '0');
}
