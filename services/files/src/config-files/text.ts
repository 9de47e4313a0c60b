import type { Parser, Replacement } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';

interface Decoded {
  readonly text: string;
  encode(text: string): Buffer;
  /** Encodes keys and values for this text. */
  adapt(replacement: Replacement): Replacement;
}

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);
const utf16Mark = Buffer.from([0xff, 0xfe]);
const asItIs = (replacement: Replacement) => replacement;

/** UTF-8 with or without BOM, UTF-16 with BOM (Unreal Engine); raw bytes for line formats. Throws RewriteError. */
export function decode(content: Uint8Array, parser: Parser): Decoded {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const decoded = decodeMarked(bytes) ?? decodeUtf8(bytes, Buffer.alloc(0)) ?? decodeBytes(bytes, parser);
  if (!decoded) throw new RewriteError('it is not UTF-8');
  if (decoded.text.includes('\0')) throw new RewriteError('it is not a text file');
  return decoded;
}

function decodeMarked(bytes: Buffer): Decoded | null {
  if (bytes.subarray(0, 3).equals(utf8Mark)) return decodeUtf8(bytes.subarray(3), utf8Mark);
  if (!bytes.subarray(0, 2).equals(utf16Mark) || bytes.length % 2 !== 0) return null;
  return {
    text: bytes.toString('utf16le', 2),
    encode: (text) => Buffer.concat([utf16Mark, Buffer.from(text, 'utf16le')]),
    adapt: asItIs,
  };
}

function decodeUtf8(bytes: Buffer, mark: Buffer): Decoded | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, encode: (next) => Buffer.concat([mark, Buffer.from(next, 'utf8')]), adapt: asItIs };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Additions are UTF-8. */
function decodeBytes(bytes: Buffer, parser: Parser): Decoded | null {
  if (parser !== 'file' && parser !== 'ini' && parser !== 'properties') return null;
  const encode = (text: string) => Buffer.from(text, 'latin1');
  const text = bytes.toString('latin1');
  // Java reads these bytes as characters and has \uXXXX for all others.
  if (parser === 'properties')
    return { text, encode: (next) => encode(next.replace(beyondBytes, asEscape)), adapt: asItIs };
  return { text, encode, adapt: asUtf8Bytes };
}

const beyondBytes = /[^\0-\u00ff]/g;

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function asUtf8Bytes({ key, value, condition }: Replacement): Replacement {
  const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  return {
    key: bytesOf(key),
    value: { ...value, text: bytesOf(value.text) },
    condition: condition && { ...condition, match: bytesOf(condition.match) },
  };
}

/** The default is a line feed. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}

/** Each with its line end. */
export function splitLines(text: string): { readonly body: string; readonly end: string }[] {
  const lines: { body: string; end: string }[] = [];
  let at = 0;
  while (at < text.length) {
    const feed = text.indexOf('\n', at);
    const next = feed === -1 ? text.length : feed + 1;
    const end = feed === -1 ? '' : feed > at && text[feed - 1] === '\r' ? '\r\n' : '\n';
    lines.push({ body: text.slice(at, next - end.length), end });
    at = next;
  }
  return lines;
}
