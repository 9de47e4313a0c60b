import { createHash } from 'node:crypto';

/** What can be in a tree that is moved. */
export type EntryKind = 'directory' | 'file' | 'symlink';

/** What the digest of a tree says about one entry. */
interface TreeRecord {
  readonly path: Buffer;
  readonly kind: EntryKind;
  /** The nine permission bits; of links 0. */
  readonly mode: number;
  /** Of directories 0, of links the length of the target's name. */
  readonly sizeBytes: number;
  /** SHA-256 of the content or of the target's name; of directories 32 zeros. */
  readonly sha256: Buffer;
}

/** What a tree comes to. */
export interface TreeTotals {
  readonly entries: number;
  /** Lengths of all files. */
  readonly bytes: number;
  readonly treeSha256: string;
}

export const noContent = Buffer.alloc(32);

const letters: Record<EntryKind, number> = { directory: 0x64, file: 0x66, symlink: 0x6c };

/** SHA-256 over the records of a tree in the order of a sorted walk, in the form that file.proto states. */
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

  /** The last thing to ask. */
  totals(): TreeTotals {
    return { entries: this.#entries, bytes: this.#bytes, treeSha256: this.#hash.digest('hex') };
  }
}
