import { expect } from 'chai';
import type { Warnings, Parser, Replacement, Value } from '../../src/domain/config-file.js';
import { rewriteContent } from '../../src/config-files/rewrite.js';

/** Key, new value as in an egg, and required old value. */
export type Change = readonly [key: string, value: string | boolean | number, match?: string];

/** `regex:` marks an expression. */
export function replacementOf([key, value, match]: Change): Replacement {
  const isRegex = match?.startsWith('regex:') ?? false;
  const condition = match === undefined ? null : { match: isRegex ? match.slice('regex:'.length) : match, isRegex };
  return { key, value: valueOf(value), condition };
}

function valueOf(value: string | boolean | number): Value {
  if (typeof value === 'string') return { kind: 'text', text: value };
  return { kind: typeof value === 'number' ? 'number' : 'flag', text: String(value) };
}

export function rewriteBytes(
  parser: Parser,
  content: Buffer,
  changes: readonly Change[],
): { content: Buffer; warnings: Warnings } {
  const result = rewriteContent({ parser, content, replacements: changes.map(replacementOf) });
  return { content: result.content ? Buffer.from(result.content) : content, warnings: result.warnings };
}

/** Expects no warnings, and no change in a second run. */
export function rewrite(parser: Parser, text: string, changes: readonly Change[]): string {
  const first = rewriteBytes(parser, Buffer.from(text), changes);
  expect(first.warnings).to.deep.equal([]);
  const again = rewriteContent({ parser, content: first.content, replacements: changes.map(replacementOf) });
  expect(again.content && Buffer.from(again.content).toString(), 'a second run').to.equal(null);
  return first.content.toString();
}

/** Expects unchanged text. */
export function refusal(parser: Parser, text: string, changes: readonly Change[]): string {
  const { content, warnings } = rewriteBytes(parser, Buffer.from(text), changes);
  expect(content.toString()).to.equal(text);
  return warnings.join('; ');
}
