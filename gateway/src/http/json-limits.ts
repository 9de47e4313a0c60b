import { badRequest } from '../reasons.js';

const maxDepth = 20;
const maxKeys = 1_000;
/** The response repeats unknown keys. */
const maxKeyLength = 1_000;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Throws BAD_REQUEST for anything but an object, a byte order mark (RFC 8259 §8.1), nesting beyond 20, more than 1,000
 * keys, keys beyond 1,000 characters, duplicate keys (parsers disagree), prototype keys, unpaired surrogates (not
 * storable as UTF-8).
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.startsWith('\ufeff')) throw badRequest('the body starts with a byte order mark');
  checkShape(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('the body is not valid JSON');
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('the body must be a JSON object');
  }
  // Valid UTF-8: only escapes can be unpaired.
  if (/\\u[dD][89a-fA-F]/.test(text) && hasUnpairedSurrogate(value))
    throw badRequest('the body contains an unpaired surrogate');
  return value as Record<string, unknown>;
}

/** The u flag reads pairs as one character. */
const unpairedSurrogate = /[\ud800-\udfff]/u;

function hasUnpairedSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return unpairedSurrogate.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => unpairedSurrogate.test(key) || hasUnpairedSurrogate(each));
}

const quote = 34;
const backslash = 92;

/** Syntax errors are left to JSON.parse. */
function checkShape(text: string): void {
  const scopes: (Set<string> | null)[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      const end = endOfString(text, at);
      const scope = scopes.at(-1);
      if (scope && isKey(text, end)) {
        if (++keys > maxKeys) throw badRequest(`the body has more than ${maxKeys} keys`);
        addKey(scope, text.slice(at, end));
      }
      at = end - 1;
    } else if (char === 123 || char === 91) {
      if (scopes.length >= maxDepth) throw badRequest(`the body nests deeper than ${maxDepth} levels`);
      scopes.push(char === 123 ? new Set() : null);
    } else if (char === 125 || char === 93) scopes.pop();
  }
}

/** Index after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) throw badRequest('the body is not valid JSON');
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    at += 1;
    if (slashes % 2 === 0) return at;
  }
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (isBlank(text.charCodeAt(at))) at++;
  return text[at] === ':';
}

function isBlank(char: number): boolean {
  return char === 32 || (char >= 9 && char <= 13);
}

function addKey(scope: Set<string>, raw: string): void {
  if (raw.length > maxKeyLength + 2) throw badRequest(`the body has a key of more than ${maxKeyLength} characters`);
  const key = raw.includes('\\') ? unescaped(raw) : raw.slice(1, -1);
  if (forbiddenKeys.has(key)) throw badRequest(`the key ${key} is not allowed`);
  if (scope.has(key)) throw badRequest('the body has a duplicate key');
  scope.add(key);
}

function unescaped(raw: string): string {
  try {
    return String(JSON.parse(raw));
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('the body is not valid JSON');
    throw error;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** No bytes are an empty object. Throws BAD_REQUEST as `parseJsonObject`, and for what is not UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): Record<string, unknown> {
  return bytes.length === 0 ? {} : parseJsonObject(utf8(bytes));
}

function utf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw badRequest('the body is not valid UTF-8');
    throw error;
  }
}
