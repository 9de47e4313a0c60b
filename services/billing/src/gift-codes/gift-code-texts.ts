import { createHash, createHmac, hkdfSync, randomInt } from 'node:crypto';

/** Crockford's base 32: without I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 bits: a hash of it cannot be inverted by trying. */
const length = 16;

export interface GiftCodeTexts {
  /** `XXXX-XXXX-XXXX-XXXX`; the same for the same seed (`idempotencySeed`) and index, random without a seed. */
  draw(seed: string | undefined, index: number): string;
  hashOf(code: string): string;
}

/** `secret` stays in the services: a seed alone makes no code. */
export function createGiftCodeTexts(secret: string): GiftCodeTexts {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'gift codes of creations', 32));
  return {
    draw: (seed, index) => {
      const digits =
        seed === undefined
          ? Array.from({ length }, () => randomInt(alphabet.length))
          : // 5 of the 8 bits of a byte: each digit is equally likely.
            [...createHmac('sha256', key).update(`${index} ${seed}`).digest().subarray(0, length)];
      const text = digits.map((digit) => alphabet.charAt(digit % alphabet.length)).join('');
      return text.replaceAll(/(.{4})(?=.)/g, '$1-');
    },
    hashOf: (code) => createHash('sha256').update(canonical(code)).digest('hex'),
  };
}

/** As people read and type it. */
function canonical(code: string): string {
  return code
    .toUpperCase()
    .replaceAll(/[\s_-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
}
