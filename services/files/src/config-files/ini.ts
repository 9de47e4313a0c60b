import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';
import { lineEndOf, splitLines } from './text.js';

interface Line {
  /** Text before the value; without one, the whole line. */
  readonly head: string;
  value: string;
  /** Blanks and a note behind the value. */
  tail: string;
  readonly end: string;
  /** Empty above all sections. */
  readonly section: string;
  /** Null without a setting. */
  readonly key: string | null;
}

/**
 * Parser `ini`: sets or adds "section.key", as it is written. Keeps unchanged lines; changed ones keep their head, quotes
 * and note. New lines follow the file's spacing around `=`. `#` and `;` belong to text without quotes (server names). Of
 * repeated keys sets the last, which most games read, and keeps the others: Unreal Engine reads them all as a list.
 */
export function rewriteIni(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  const lines = readLines(text);
  const style = { lineEnd: lineEndOf(text), separator: separatorOf(lines) };
  eachReplacement(replacements, warnings, (replacement) => apply(lines, replacement, style));
  return lines.map(({ head, value, tail, end }) => head + value + tail + end).join('');
}

interface Style {
  readonly lineEnd: string;
  readonly separator: string;
}

function apply(lines: Line[], replacement: Replacement, style: Style): void {
  const { section, key } = splitKey(replacement.key);
  const found = lines.filter((line) => line.key === key && line.section === section);
  for (const line of replacement.condition ? found : found.slice(-1)) {
    const value = nextValue(unquote(line.value), replacement)?.text;
    if (value !== undefined) setValue(line, value);
  }
  if (found.length > 0) return;
  const value = nextValue(undefined, replacement)?.text;
  if (value === undefined) return;
  const line = { head: key + style.separator, value: '', tail: '', end: style.lineEnd, section, key };
  setValue(line, value);
  add(lines, line);
}

/** A note that would become a part of the value goes. Throws RewriteError for a value that would be read otherwise. */
function setValue(line: Line, text: string): void {
  if (/[\r\n]/.test(text)) throw new RewriteError('a value of several lines cannot be written into this kind of file');
  const value = quoteLike(line.value, text);
  if (value === line.value) return;
  const tail = [line.tail, ''].find((after) => splitValue(value + after).value === value);
  if (tail === undefined) throw new RewriteError('a part of this value would be read as a note');
  line.value = value;
  line.tail = tail;
}

/** "section.key", "[a.b].key" (section with dots), or "key" above all sections. */
function splitKey(text: string): { readonly section: string; readonly key: string } {
  if (/[\r\n]/.test(text)) throw new RewriteError('a key must be one line');
  const close = text.startsWith('[') ? text.indexOf('].') : -1;
  const dot = close === -1 ? text.indexOf('.') : close + 1;
  const section = close === -1 ? text.slice(0, Math.max(0, dot)) : text.slice(1, close);
  const key = text.slice(dot + 1).trim();
  if (key === '' || /^[;#[]/.test(key) || /[=\]]/.test(section))
    throw new RewriteError('this is no key of such a file');
  return { section: section.trim(), key };
}

function readLines(text: string): Line[] {
  let section = '';
  return splitLines(text).map(({ body, end }) => {
    const trimmed = body.trim();
    const plain = { head: body, value: '', tail: '', end, section, key: null };
    if (trimmed.startsWith('[')) {
      section = sectionOf(trimmed);
      return { ...plain, section };
    }
    const separator = body.search(/[=:]/);
    if (trimmed === '' || /^[;#]/.test(trimmed) || separator <= 0) return plain;
    const start = separator + 1 + (/^[ \t]*/.exec(body.slice(separator + 1))?.[0].length ?? 0);
    const { value, tail } = splitValue(body.slice(start));
    return { head: body.slice(0, start), value, tail, end, section, key: body.slice(0, separator).trim() };
  });
}

/** Only behind these is a note certain. */
const beforeNote = /^(?:"[^"\\]*(?:\\.[^"\\]*)*"|[-+]?\d+(?:\.\d+)?|true|false|yes|no|on|off)(?=[ \t]+[;#])/i;

function splitValue(text: string): { readonly value: string; readonly tail: string } {
  const value = beforeNote.exec(text)?.[0] ?? text.trimEnd();
  return { value, tail: text.slice(value.length) };
}

function sectionOf(header: string): string {
  const close = header.endsWith(']') ? header.length - 1 : header.indexOf(']');
  return header.slice(1, close === -1 ? undefined : close).trim();
}

/** Without spaces if most lines are: some engines include them in the value. */
function separatorOf(lines: readonly Line[]): string {
  const settings = lines.filter((line) => line.key !== null);
  const tight = settings.filter((line) => /\S[=:]$/.test(line.head));
  return tight.length * 2 > settings.length ? '=' : ' = ';
}

function isQuoted(value: string): boolean {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"');
}

function unquote(value: string): string {
  return isQuoted(value) ? value.slice(1, -1) : value;
}

const ownQuotes = /^"[^"\\]*(?:\\[^"][^"\\]*)*"$/;
const endsOpen = /(?<!\\)(?:\\\\)*\\$/;

/**
 * Only quotes keep outer spaces. A value cannot end them, whether the program knows escapes or not: `"` in it becomes
 * `'`, and a backslash before the last quote is doubled.
 */
function quoteLike(old: string, value: string): string {
  if (!isQuoted(old)) return value.trim();
  if (old === value || ownQuotes.test(value)) return value;
  const text = value.replaceAll('"', "'");
  return `"${text}${endsOpen.test(text) ? '\\' : ''}"`;
}

/** After the section's last setting, or as a new section; without a section, at the top. */
function add(lines: Line[], line: Line): void {
  const last = lines.findLastIndex(
    (other) => other.section === line.section && (other.key !== null || isHeader(other)),
  );
  if (last !== -1 || line.section === '') {
    const at = last !== -1 ? last + 1 : lines.some(isHeader) ? 0 : lines.length;
    closeLine(lines, at - 1, line.end);
    lines.splice(at, 0, line);
    return;
  }
  closeLine(lines, lines.length - 1, line.end);
  if (lines.at(-1)?.head.trim()) lines.push(plainLine('', line));
  lines.push(plainLine(`[${line.section}]`, line), line);
}

function isHeader({ head, key }: Line): boolean {
  return key === null && head.trimStart().startsWith('[');
}

function plainLine(head: string, { end, section }: Line): Line {
  return { head, value: '', tail: '', end, section, key: null };
}

function closeLine(lines: Line[], at: number, lineEnd: string): void {
  const line = lines[at];
  if (line && !line.end.endsWith('\n')) lines[at] = { ...line, end: line.end + lineEnd };
}
