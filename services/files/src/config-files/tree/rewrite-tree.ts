import { nextValue } from '../condition.js';
import { eachReplacement } from '../each.js';
import type { Warnings, Replacement } from '../../domain/config-file.js';
import { RewriteError } from '../rewrite-error.js';
import { find, findExisting, type Found } from './find.js';
import { type Literal, type Node, type ScalarNode, splice, type TreeFormat } from './node.js';
import { parseSteps } from './path.js';
import { isSame, literalFor } from './value.js';

interface Document {
  readonly text: string;
  readonly root: Node;
}

/**
 * Parsers `yaml`, `json` and `toml`: set values and create missing paths. Edits only differing values and parses each
 * change back; a change with another result becomes a warning. Throws RewriteError for an invalid original.
 */
export function rewriteTree(
  format: TreeFormat,
  text: string,
  replacements: readonly Replacement[],
  warnings: Warnings,
): string {
  let document: Document = { text, root: format.parse(text) };
  eachReplacement(replacements, warnings, (replacement) => {
    document = apply(format, document, replacement);
  });
  return document.text;
}

function apply(format: TreeFormat, document: Document, replacement: Replacement): Document {
  const { text, root } = document;
  const found = targetsOf(root, replacement);
  if (found.kind === 'missing') {
    const literal = literalFor(replacement.value, null);
    return checked(format, format.insert(text, found.container, found.rest, literal), replacement, [literal]);
  }
  const wanted = found.scalars.map((scalar) => wantedOf(scalar, replacement));
  const edits = found.scalars.flatMap((scalar, at) => {
    const literal = wanted[at];
    return literal && !isSame(scalar, literal) ? [{ scalar, literal }] : [];
  });
  if (edits.length === 0) return document;
  // backwards, to keep offsets valid
  edits.sort((a, b) => b.scalar.start - a.scalar.start);
  const next = edits.reduce(
    (changed, { scalar, literal }) => splice(changed, scalar.start, scalar.end, format.print(changed, scalar, literal)),
    text,
  );
  return checked(format, next, replacement, wanted);
}

/** A conditional replacement creates nothing. */
function targetsOf(root: Node, { key, condition }: Replacement): Found {
  const path = parseSteps(key);
  return condition ? { kind: 'scalars', scalars: findExisting(root, path) } : find(root, path);
}

/** Null: unchanged. */
function wantedOf(scalar: ScalarNode, replacement: Replacement): Literal | null {
  const value = nextValue(scalar.text, replacement);
  return value && literalFor(value, scalar);
}

function checked(
  format: TreeFormat,
  text: string,
  replacement: Replacement,
  wanted: readonly (Literal | null)[],
): Document {
  const root = parseChanged(format, text);
  const found = targetsOf(root, replacement);
  const isRight =
    found.kind === 'scalars' &&
    found.scalars.length === wanted.length &&
    wanted.every((literal, at) => {
      const scalar = found.scalars[at];
      return !literal || (scalar !== undefined && reads(scalar, literal));
    });
  if (!isRight) throw new RewriteError('this cannot be written here');
  return { text, root };
}

function parseChanged(format: TreeFormat, text: string): Node {
  try {
    return format.parse(text);
  } catch (error) {
    if (error instanceof RewriteError) throw new RewriteError('this cannot be written here', { cause: error });
    throw error;
  }
}

/** A TOML float is 2.0 for a literal 2. */
function reads(scalar: ScalarNode, literal: Literal): boolean {
  if (isSame(scalar, literal)) return true;
  return scalar.type === 'number' && literal.type === 'number' && Number(scalar.text) === Number(literal.text);
}
