import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';
import { lineEndOf, splitLines } from './text.js';

interface Line {
  /** Text before the value; without one, the whole line. */
  readonly head: string;
  value: string;
  readonly end: string;
  /** Empty above all sections. */
  readonly section: string;
  /** Null without a setting. */
  readonly key: string | null;
}

/**
 * Parser `ini`: sets or adds "section.key". Keeps unchanged lines; changed ones keep their head and quotes. New lines
 * follow the file's spacing around `=`. `#` and `;` belong to values (server names). Sets all duplicates.
 */
export function rewriteIni(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  const lines = readLines(text);
  const style = { lineEnd: lineEndOf(text), separator: separatorOf(lines) };
  eachReplacement(replacements, warnings, (replacement) => apply(lines, replacement, style));
  return lines.map(({ head, value, end }) => head + value + end).join('');
}

interface Style {
  readonly lineEnd: string;
  readonly separator: string;
}

function apply(lines: Line[], replacement: Replacement, style: Style): void {
  const { section, key } = splitKey(replacement.key);
  const found = lines.filter((line) => line.key === key && line.section === section);
  const last = found.at(-1);
  const value = nextValue(last && unquote(last.value), replacement)?.text;
  if (value === undefined) return;
  if (/[\r\n]/.test(value)) throw new RewriteError('a value of several lines cannot be written into this kind of file');
  for (const line of found) line.value = quoteLike(line.value, value);
  if (!last) add(lines, { head: key + style.separator, value: value.trim(), end: style.lineEnd, section, key });
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
    const plain = { head: body, value: '', end, section, key: null };
    if (trimmed.startsWith('[')) {
      section = sectionOf(trimmed);
      return { ...plain, section };
    }
    const separator = body.search(/[=:]/);
    if (trimmed === '' || /^[;#]/.test(trimmed) || separator <= 0) return plain;
    const start = separator + 1 + (/^[ \t]*/.exec(body.slice(separator + 1))?.[0].length ?? 0);
    const value = body.slice(start).trimEnd();
    const trailing = body.slice(start + value.length);
    return { head: body.slice(0, start), value, end: trailing + end, section, key: body.slice(0, separator).trim() };
  });
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

/** Only quotes keep outer spaces. */
function quoteLike(old: string, value: string): string {
  if (!isQuoted(old) || old === value || value.includes('"')) return value.trim();
  return `"${value}"`;
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
  return { head, value: '', end, section, key: null };
}

function closeLine(lines: Line[], at: number, lineEnd: string): void {
  const line = lines[at];
  if (line && !line.end.endsWith('\n')) lines[at] = { ...line, end: line.end + lineEnd };
}
