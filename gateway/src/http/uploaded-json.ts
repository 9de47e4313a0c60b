import { isBase64 } from './base64.js';
import { parseJsonBytes } from './json-limits.js';

/** A file inside JSON: `content`, in `encoding`. */
export interface UploadedJson {
  /** For the schema. `content` is empty when it could be decoded, and so are arrays and objects, which no upload has. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly content: Uint8Array;
}

/** Throws BAD_REQUEST as `parseJsonBytes`. */
export function readUploadedJson(bytes: Uint8Array): UploadedJson {
  const value = parseJsonBytes(bytes);
  const content = decoded(value);
  const flat = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutParts(each)]));
  return content ? { value: { ...flat, content: '' }, content } : { value: flat, content: new Uint8Array() };
}

/** Null: refused by the schema. */
function decoded({ content, encoding = 'utf-8' }: Readonly<Record<string, unknown>>): Buffer | null {
  if (typeof content !== 'string') return null;
  if (encoding === 'utf-8') return Buffer.from(content);
  return encoding === 'base64' && isBase64(content) ? Buffer.from(content, 'base64') : null;
}

function withoutParts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}
