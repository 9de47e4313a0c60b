/** Readable, by signature. */
export type ArchiveFormat = 'zip' | '7z' | 'rar' | 'tar' | 'gzip' | 'bzip2' | 'xz' | 'zstd';

export const writtenFormats = ['zip', 'tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.zst'] as const;
export type WrittenFormat = (typeof writtenFormats)[number];

/** Of a tar header, and the input length of `detectFormat`. */
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
/** Of a tar header: eight octal digits, summed as blanks. */
const checksum = { offset: 148, length: 8 } as const;
const blank = 0x20;

/** The first volume descriptor of ISO 9660, and its identifier behind one byte. */
export const isoSignature = { offset: 16 * 2048 + 1, text: 'CD001' } as const;

/** Null when unsupported. */
export function detectFormat(head: Buffer): ArchiveFormat | null {
  const hex = head.subarray(0, 8).toString('hex');
  const known = signatures.find(([signature]) => hex.startsWith(signature));
  if (known) return known[1];
  return isTarHeader(head) ? 'tar' : null;
}

/** By its checksum: tar of Unix V7 has no signature. */
export function isTarHeader(head: Buffer): boolean {
  if (head.length < signatureBytes) return false;
  const { offset, length } = checksum;
  const stored = /^[ \0]*([0-7]+)[ \0]*$/.exec(head.toString('latin1', offset, offset + length))?.[1];
  if (stored === undefined) return false;
  let sum = length * blank;
  for (const [at, byte] of head.subarray(0, signatureBytes).entries()) {
    if (at < offset || at >= offset + length) sum += byte;
  }
  return sum === Number.parseInt(stored, 8);
}

const compressedExtensions: Partial<Record<ArchiveFormat, RegExp>> = {
  gzip: /\.gz$/i,
  bzip2: /\.bz2$/i,
  xz: /\.xz$/i,
  zstd: /\.zst$/i,
};

/** Of the file in a single compressed file; null when the name is no such file's. */
export function uncompressedName(format: ArchiveFormat, name: string): string | null {
  const shorter = name.replace(compressedExtensions[format] ?? /$^/, '');
  return shorter === name || shorter === '' || /\.tar$/i.test(shorter) ? null : shorter;
}
