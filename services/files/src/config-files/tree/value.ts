import type { Value } from '../../domain/config-file.js';
import type { Literal, ScalarNode } from './node.js';

/** As JSON defines it (RFC 8259 §6). */
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
 * The literal for a new value. What the egg's author wrote as true, false or a number is that; a text takes the type that
 * stands in the document, as far as it can be read so. Where nothing stands, a text that is true, false or a number is
 * written as such: programs find `port: 25565` there and not `port: "25565"`. Digits are kept as they are, however many.
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
  // "1.20" is a version: as a number it would read 1.2
  if (integer.test(text) || (number.test(text) && String(Number(text)) === text)) return { type: 'number', text };
  return { type: 'string', text };
}

/** Whether a scalar already is what a literal says. */
export function isSame(old: ScalarNode, literal: Literal): boolean {
  if (old.type !== literal.type || old.text === undefined) return false;
  if (old.text === literal.text) return true;
  if (literal.type === 'bool') return flags.get(old.text.toLowerCase()) === literal.text;
  return literal.type === 'number' && sameNumber(old.text.replaceAll('_', ''), literal.text);
}

/** Whole numbers exactly; 2 and 2.0 are not the same. */
function sameNumber(a: string, b: string): boolean {
  if (integer.test(a) !== integer.test(b)) return false;
  return integer.test(a) ? BigInt(a) === BigInt(b) : number.test(a) && Number(a) === Number(b);
}
