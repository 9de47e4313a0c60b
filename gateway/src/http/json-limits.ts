import { badRequest } from '../reasons.js';

const maxDepth = 20;
const maxKeys = 1_000;
/** Longer than any name or word that is a key somewhere; what is not known is named in the answer, whole. */
const maxKeyLength = 1_000;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parse a JSON object from hostile text. Throws BAD_REQUEST for anything that is not one object, nests deeper than 20, has
 * more than 1,000 keys or one of more than 1,000 characters, says a key twice (two parsers would read two different
 * things), names a prototype, or escapes half a character: whatever that is stored as, it would be something else.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
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
  // The text was checked to be UTF-8, which has no halves: they come as escapes only.
  if (/\\u[dD][89a-fA-F]/.test(text) && holdsHalfCharacter(value)) throw badRequest('the body holds half a character');
  return value as Record<string, unknown>;
}

/** With the u flag a whole pair is one character, so this finds halves only. */
const halfCharacter = /[\ud800-\udfff]/u;

/** Whether a text somewhere in `value` holds one half of a surrogate pair without the other. */
function holdsHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return halfCharacter.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => halfCharacter.test(key) || holdsHalfCharacter(each));
}

const quote = 34;
const backslash = 92;

/** One pass over the text before anything is built from it. Bad syntax is left for JSON.parse to find. */
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
      if (scopes.length >= maxDepth) throw badRequest(`the body nests deeper than ${maxDepth}`);
      scopes.push(char === 123 ? new Set() : null);
    } else if (char === 125 || char === 93) scopes.pop();
  }
}

/** Index after the closing quote of the string that starts at `start`. */
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
  if (scope.has(key)) throw badRequest('the body has a key twice in one object');
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
