/** Readable, by signature. */
export type ArchiveFormat = 'zip' | '7z' | 'rar' | 'tar' | 'gzip' | 'bzip2' | 'xz' | 'zstd';

export const writtenFormats = ['zip', 'tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.zst'] as const;
export type WrittenFormat = (typeof writtenFormats)[number];

/** Input length of `detectFormat`. */
export const signatureBytes = 512;

const signatures: readonly (readonly [hex: string, format: ArchiveFormat])[] = [
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['377abcaf271c', '7z'],
  ['526172211a07', 'rar'],
  ['1f8b', 'gzip'],
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['28b52ffd', 'zstd'],
];
/** Offset of "ustar" in a tar header (POSIX.1-1988). */
const ustarOffset = 257;

/** Null when unsupported. */
export function detectFormat(head: Buffer): ArchiveFormat | null {
  const hex = head.subarray(0, 8).toString('hex');
  const known = signatures.find(([signature]) => hex.startsWith(signature));
  if (known) return known[1];
  return head.toString('latin1', ustarOffset, ustarOffset + 5) === 'ustar' ? 'tar' : null;
}
