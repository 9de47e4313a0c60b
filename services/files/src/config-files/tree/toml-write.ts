import { RewriteError } from '../rewrite-error.js';
import { lineEndOf } from '../text.js';
import { type Literal, type Node, type PlainStep, type ScalarNode, splice } from './node.js';
import type { InsertionPoint, TomlNode } from './toml-node.js';

/** Keeps floats and the kind of quotes. */
export function printToml(text: string, old: ScalarNode, literal: Literal): string {
  const source = text.slice(old.start, old.end);
  const isFloat = /^[-+\d_]+(?:\.|[eE])/.test(source);
  if (literal.type === 'number' && isFloat && /^-?\d+$/.test(literal.text)) return `${literal.text}.0`;
  // oxlint-disable-next-line no-control-regex -- what may not stand in these quotes
  const isRaw = source.startsWith("'") && !/['\u0000-\u0008\u000a-\u001f\u007f]/.test(literal.text);
  return literal.type === 'string' && isRaw ? `'${literal.text}'` : write(literal);
}

export function insertToml(text: string, container: Node, path: readonly PlainStep[], literal: Literal): string {
  const node = container as TomlNode;
  if (node.kind === 'list') return insertItem(text, node, path, literal);
  if (node.kind !== 'map') throw new RewriteError('this cannot be written here');
  if (node.home.kind !== 'inline') return insertLine(text, node.home, path, literal);
  const pair = pairOf(node.home.prefix, path, literal);
  const last = node.entries.at(-1)?.node;
  if (last) return splice(text, lastEnd(last), lastEnd(last), `, ${pair}`);
  return splice(text, node.start, node.end, `{ ${pair} }`);
}

function insertItem(
  text: string,
  list: Extract<TomlNode, { kind: 'list' }>,
  [, ...rest]: readonly PlainStep[],
  literal: Literal,
): string {
  if (list.isOfTables) throw new RewriteError('this cannot be written here');
  const value = inline(rest, literal);
  const last = list.items.at(-1);
  if (last) return splice(text, last.end, last.end, `, ${value}`);
  return splice(text, list.start, list.end, `[${value}]`);
}

/** A dotted-key table has no end of its own. */
function lastEnd(node: TomlNode): number {
  const last = node.kind === 'map' && node.end === 0 ? node.entries.at(-1)?.node : undefined;
  return last ? lastEnd(last) : node.end;
}

function insertLine(
  text: string,
  home: Exclude<InsertionPoint, { kind: 'inline' }>,
  path: readonly PlainStep[],
  literal: Literal,
): string {
  const lineEnd = lineEndOf(text);
  const names = path.flatMap((step) => ('key' in step ? [step.key] : []));
  if (home.kind !== 'lines' && names.length === path.length) {
    const table = [...(home.kind === 'implied' ? home.path : []), ...names.slice(0, -1)];
    if (table.length > 0) return addTable(text, table, names.at(-1) ?? '', literal);
  }
  if (home.kind === 'implied') throw new RewriteError('this cannot be written here');
  const line = pairOf(home.kind === 'lines' ? home.prefix : [], path, literal);
  if (home.after !== undefined) {
    const feed = text.indexOf('\n', home.after);
    return feed === -1 ? text + lineEnd + line + lineEnd : splice(text, feed + 1, feed + 1, line + lineEnd);
  }
  // above the first table and its comments
  if (/^[ \t]*\[/m.test(text)) return line + lineEnd + lineEnd + text;
  return text + (text === '' || text.endsWith('\n') ? '' : lineEnd) + line + lineEnd;
}

function addTable(text: string, table: readonly string[], key: string, literal: Literal): string {
  const lineEnd = lineEndOf(text);
  const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
  return `${text}${gap}[${table.map(writeKey).join('.')}]${lineEnd}${writeKey(key)} = ${write(literal)}${lineEnd}`;
}

/** `a.b = value`, for a line or an inline table. */
function pairOf(prefix: readonly string[], path: readonly PlainStep[], literal: Literal): string {
  const firstIndex = path.findIndex((step) => 'index' in step);
  const dotted = firstIndex === -1 ? path : path.slice(0, firstIndex);
  const names = [...prefix, ...dotted.flatMap((step) => ('key' in step ? [step.key] : []))];
  return `${names.map(writeKey).join('.')} = ${inline(path.slice(dotted.length), literal)}`;
}

function inline(path: readonly PlainStep[], literal: Literal): string {
  const [step, ...rest] = path;
  if (!step) return write(literal);
  const inner = inline(rest, literal);
  return 'key' in step ? `{ ${writeKey(step.key)} = ${inner} }` : `[${inner}]`;
}

function writeKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : writeText(key);
}

function write({ type, text }: Literal): string {
  return type === 'string' ? writeText(text) : text;
}

/** TOML shares JSON's escapes. */
function writeText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`);
}
