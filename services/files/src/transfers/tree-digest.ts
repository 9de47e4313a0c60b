import { createHash } from 'node:crypto';

export type EntryKind = 'directory' | 'file' | 'symlink';

interface TreeRecord {
  readonly path: Buffer;
  readonly kind: EntryKind;
  /** Permission bits; links: 0. */
  readonly mode: number;
  /** Directories: 0; links: length of the target. */
  readonly sizeBytes: number;
  /** Of content or target; directories: 32 zeros. */
  readonly sha256: Buffer;
}

export interface TreeTotals {
  readonly entries: number;
  /** Of all files. */
  readonly bytes: number;
  readonly treeSha256: string;
}

export const noContent = Buffer.alloc(32);

const letters: Record<EntryKind, number> = { directory: 0x64, file: 0x66, symlink: 0x6c };

/** Records in sorted order, as specified in file.proto. */
export class TreeDigest {
  readonly #hash = createHash('sha256');
  #entries = 0;
  #bytes = 0;

  add({ path, kind, mode, sizeBytes, sha256 }: TreeRecord): void {
    const head = Buffer.allocUnsafe(5);
    head.writeUInt8(letters[kind], 0);
    head.writeUInt32BE(path.length, 1);
    const numbers = Buffer.allocUnsafe(12);
    numbers.writeUInt32BE(mode, 0);
    numbers.writeBigUInt64BE(BigInt(sizeBytes), 4);
    for (const part of [head, path, numbers, sha256]) this.#hash.update(part);
    this.#entries += 1;
    if (kind === 'file') this.#bytes += sizeBytes;
  }

  /** Ends the hash. */
  totals(): TreeTotals {
    return { entries: this.#entries, bytes: this.#bytes, treeSha256: this.#hash.digest('hex') };
  }
}
