import type { FieldMessages } from '@panel/kit/errors';
import type { z } from 'zod';

/** Nested fields as `config.startup`. */
export function fieldMessages(issues: readonly z.core.$ZodIssue[]): FieldMessages {
  const fields: FieldMessages = {};
  for (const issue of issues) {
    const at = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(fields, at === '' ? key : `${at}.${key}`, 'is not a known field');
    } else add(fields, at === '' ? 'body' : at, messageOf(issue));
  }
  return fields;
}

function add(fields: FieldMessages, name: string, message: string): void {
  // Client-chosen name: assignment could reach a setter.
  if (!Object.hasOwn(fields, name)) {
    Object.defineProperty(fields, name, { value: [], enumerable: true, configurable: true, writable: true });
  }
  fields[name]?.push(message);
}

/** Prefixes of zod's own messages. */
const zodsWords = /^(Invalid|Too small|Too big|Unrecognized)/;

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  // The declaration's own messages take precedence.
  if (!zodsWords.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`;
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    default:
      return 'is not valid';
  }
}

function article(type: string): string {
  const word = { int: 'integer', record: 'object' }[type] ?? type;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function bound(origin: string, word: string, value: unknown): string {
  const isOne = Number(value) === 1;
  if (origin === 'string') return `have ${word} ${String(value)} ${isOne ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${word} ${String(value)} ${isOne ? 'entry' : 'entries'}`;
  return `be ${word} ${String(value)}`;
}
