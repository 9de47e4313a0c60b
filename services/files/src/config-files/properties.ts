import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { lineEndOf, splitLines } from './text.js';

/** Lines of a comment, a blank, or one property. */
interface Item {
  source: string;
  readonly property: { readonly key: string; value: string } | null;
}

/**
 * Parser `properties`: sets or adds keys (java.util.Properties, "load"). Keeps comments, blanks, order and other
 * properties. Writes characters beyond ASCII as they are, for programs other than Java's (Minecraft Bedrock) show \uXXXX
 * literally, and as \uXXXX where Java has written the file: old versions read only Latin-1. Sets all duplicates.
 */
export function rewriteProperties(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  const items = readItems(text);
  const style = { lineEnd: lineEndOf(text), isRaw: items.some(isRaw) || !(isOfJava(text) || items.some(isEscaped)) };
  eachReplacement(replacements, warnings, (replacement) => apply(items, replacement, style));
  return items.map((item) => item.source).join('');
}

interface Style {
  readonly lineEnd: string;
  readonly isRaw: boolean;
}

function isRaw({ source, property }: Item): boolean {
  return property !== null && /[^\0-\u009f]/.test(source);
}

function isEscaped({ source, property }: Item): boolean {
  return property !== null && /(?<!\\)(?:\\\\)*\\u[\da-fA-F]{4}/.test(source);
}

/** The header of Minecraft, or the date of java.util.Properties ("store"). */
function isOfJava(text: string): boolean {
  return /^#(?:Minecraft server properties|[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{2}:\d{2}:\d{2} \S+ \d{4})\r?$/m.test(
    text,
  );
}

function apply(items: Item[], replacement: Replacement, style: Style): void {
  const { key } = replacement;
  const { lineEnd } = style;
  const found = items.filter((item) => item.property?.key === key);
  const value = nextValue(found.at(-1)?.property?.value, replacement)?.text;
  if (value === undefined) return;
  for (const item of found) setValue(item, value, style);
  if (found.length > 0) return;
  const last = items.at(-1);
  if (last && !last.source.endsWith('\n')) last.source += lineEnd;
  // a trailing backslash would join the new line
  if (last?.property && endsOpen(last.source.replace(/\r?\n$/, ''))) last.source += lineEnd;
  items.push({ source: write({ key, value }, style) + lineEnd, property: { key, value } });
}

function setValue(item: Item, value: string, style: Style): void {
  if (!item.property || item.property.value === value) return;
  item.property.value = value;
  const lineEnd = /\r?\n$/.exec(item.source)?.[0] ?? '';
  item.source = write(item.property, style) + lineEnd;
}

function readItems(text: string): Item[] {
  const lines = splitLines(text);
  const items: Item[] = [];
  for (let at = 0; at < lines.length;) {
    const count = isProperty(lines[at]?.body ?? '') ? lengthOf(lines, at) : 1;
    const own = lines.slice(at, at + count);
    const bodies = own.map(({ body }) => body.replace(/^[ \t\f]+/, ''));
    const logical = bodies.map((body, index) => (index < count - 1 ? body.slice(0, -1) : body)).join('');
    const source = own.map(({ body, end }) => body + end).join('');
    items.push({ source, property: isProperty(logical) ? readProperty(logical) : null });
    at += count;
  }
  return items;
}

function isProperty(line: string): boolean {
  return /^[ \t\f]*[^ \t\f#!]/.test(line);
}

/** Continues after an odd number of trailing backslashes. */
function lengthOf(lines: readonly { readonly body: string }[], start: number): number {
  let last = start;
  while (last < lines.length - 1 && endsOpen(lines[last]?.body ?? '')) last += 1;
  return last + 1 - start;
}

function endsOpen(line: string): boolean {
  let backslashes = 0;
  while (line[line.length - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function readProperty(line: string): { key: string; value: string } {
  let end = 0;
  while (end < line.length && !'=: \t\f'.includes(line[end] ?? '')) end += line[end] === '\\' ? 2 : 1;
  const value = line.slice(end).replace(/^[ \t\f]*(?:[=:][ \t\f]*)?/, '');
  return { key: unescape(line.slice(0, end)), value: unescape(value) };
}

const escapes = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
]);

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]?))/g, (_, code?: string, letter = '') =>
    code === undefined ? (escapes.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function write({ key, value }: { readonly key: string; readonly value: string }, style: Style): string {
  return `${escape(key, /[\\ =:#!]/g, style)}=${escape(value, /\\|^ /g, style)}`;
}

const escaped = /[^\u0020-\u007e]/g;
const controls = /\p{Cc}/gu;

function escape(text: string, special: RegExp, { isRaw: keepsRaw }: Style): string {
  return text.replace(special, String.raw`\$&`).replace(keepsRaw ? controls : escaped, (character) => {
    const [letter] = [...escapes].find(([, meaning]) => meaning === character) ?? [];
    return letter ? `\\${letter}` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
