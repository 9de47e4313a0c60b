import type { Money } from './payment.js';

/** An incoming payment. */
export interface StatementPayment {
  /** The same in every statement that has it. */
  readonly id: string;
  /** "2026-01-31". */
  readonly date: string;
  readonly amount: Money;
  readonly payer: string;
  /** What the payer has written, in one line. */
  readonly text: string;
}

const numberDigits = { least: 6, most: 10 };
const maxCandidates = 50;

/**
 * Invoice numbers that a text may name. Banks break texts at any place and drop what they do not print: words are taken as
 * they are, and what follows the prefix in the text without spaces.
 */
export function numbersIn(text: string, prefix: string): string[] {
  const upper = text.toUpperCase();
  const start = prefix.toUpperCase();
  const words = upper.split(/[^\p{L}\p{N}/_-]+/u).filter((word) => /\d/.test(word));
  const found = new Set(words.map((word) => (word.startsWith(start) ? prefix + word.slice(start.length) : word)));
  if (start === '') return [...found].slice(0, maxCandidates);
  const compact = upper.replace(/\s+/g, '');
  for (let at = compact.indexOf(start); at >= 0; at = compact.indexOf(start, at + 1)) {
    const digits = /^\d*/.exec(compact.slice(at + start.length))?.[0] ?? '';
    for (let length = numberDigits.least; length <= Math.min(digits.length, numberDigits.most); length += 1)
      found.add(prefix + digits.slice(0, length));
  }
  return [...found].slice(0, maxCandidates);
}
