import type { Value } from '../../domain/config-file.js';
import type { Literal, ScalarNode } from './node.js';

/** JSON's syntax (RFC 8259 §6). */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?(?:0|[1-9]\d*)$/;
const flags = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['yes', 'true'],
  ['on', 'true'],
  ['false', 'false'],
  ['0', 'false'],
  ['no', 'false'],
  ['off', 'false'],
]);

/**
 * Flags and numbers of the egg stay. A text takes the old value's type if it parses as that. Without an old value,
 * true, false and numbers are inferred: programs expect `port: 25565`, not `port: "25565"`. Digits stay exact.
 */
export function literalFor(value: Value, old: ScalarNode | null): Literal {
  const { kind, text } = value;
  if (kind === 'flag') return { type: 'bool', text };
  if (kind === 'number') return { type: 'number', text };
  const flag = flags.get(text.toLowerCase());
  if (old?.type === 'bool' && flag) return { type: 'bool', text: flag };
  if (old?.type === 'number' && number.test(text)) return { type: 'number', text };
  if (old?.text === undefined) return inferred(text);
  return { type: 'string', text };
}

function inferred(text: string): Literal {
  if (text === 'true' || text === 'false') return { type: 'bool', text };
  // "1.20" is a version, not 1.2
  if (integer.test(text) || (number.test(text) && String(Number(text)) === text)) return { type: 'number', text };
  return { type: 'string', text };
}

export function isSame(old: ScalarNode, literal: Literal): boolean {
  if (old.type !== literal.type || old.text === undefined) return false;
  if (old.text === literal.text) return true;
  if (literal.type === 'bool') return flags.get(old.text.toLowerCase()) === literal.text;
  return literal.type === 'number' && sameNumber(old.text.replaceAll('_', ''), literal.text);
}

/** Integers compare exactly; 2 and 2.0 differ. */
function sameNumber(a: string, b: string): boolean {
  if (integer.test(a) !== integer.test(b)) return false;
  return integer.test(a) ? BigInt(a) === BigInt(b) : number.test(a) && Number(a) === Number(b);
}
