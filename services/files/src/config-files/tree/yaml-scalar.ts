import type { Literal, ScalarNode } from './node.js';

/** Unambiguous in YAML 1.1 and 1.2, block and flow. */
const plainText = /^[A-Za-z][\w./-]*(?:[ :][\w./-]+)*$/;
const address = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?$/;
const words = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n', 'null', 'nan', 'inf']);

/** Keeps old quotes. */
export function printYaml(text: string, old: ScalarNode, literal: Literal): string {
  const source = text.slice(old.start, old.end);
  const printed = literal.type === 'string' ? quoteLike(source[0], literal.text) : literal.text;
  // a block scalar includes its line end; an empty value follows a colon or dash
  if (/^[|>]/.test(source)) return printed + lastLineEnd(source);
  return source === '' && /\S/.test(text[old.start - 1] ?? ' ') ? ` ${printed}` : printed;
}

function lastLineEnd(source: string): string {
  if (!source.endsWith('\n')) return '';
  return source.endsWith('\r\n') ? '\r\n' : '\n';
}

function quoteLike(quote: string | undefined, text: string): string {
  if (quote === '"') return doubleQuoted(text);
  if (quote === "'" && isPrintable(text)) return singleQuoted(text);
  return writeText(text);
}

/** Plain where safe. */
export function writeText(text: string): string {
  const isPlain = (plainText.test(text) && !words.has(text.toLowerCase())) || address.test(text);
  if (isPlain) return text;
  return isPrintable(text) ? singleQuoted(text) : doubleQuoted(text);
}

export function writeLiteral({ type, text }: Literal): string {
  return type === 'string' ? writeText(text) : text;
}

function isPrintable(text: string): boolean {
  return !/[^\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]/.test(text);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** JSON strings are YAML; escapes characters that some readers reject. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
