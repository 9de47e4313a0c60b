import type { Seal } from '@panel/kit/process';

interface SealedText {
  readonly sealed: string;
  readonly aad: string;
  /** Unless changed meanwhile. */
  readonly replace: (resealed: string) => PromiseLike<{ readonly modifiedCount: number }>;
}

/** With the newest key; leaves what no key opens. Resolves with the count of the replaced. */
export async function reseal(seal: Seal, texts: readonly SealedText[]): Promise<number> {
  let count = 0;
  for (const { aad, replace, sealed } of texts) {
    const plain = seal.isCurrent(sealed) ? null : seal.open(sealed, aad);
    if (plain === null) continue;
    count += (await replace(seal.seal(plain, aad))).modifiedCount;
  }
  return count;
}
