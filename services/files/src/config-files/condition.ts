import { RE2JS, RE2JSException, type Matcher } from 're2js';
import { maxValueLength } from './limits.js';
import type { Replacement, Value } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';

/** Maximum steps per character; real eggs stay below 100. */
const maxProgramSize = 3000;
const maxPatternLength = 1000;

/** Null: unchanged. `current` undefined: missing, or not text. */
export function nextValue(current: string | undefined, { condition, value }: Replacement): Value | null {
  if (!condition) return value;
  if (current === undefined) return null;
  if (!condition.isRegex) return current === condition.match ? value : null;
  const text = replaceMatches(current, condition.match, value.text);
  return text === null ? null : { kind: 'text', text };
}

/**
 * Like Go's ReplaceAllString, the eggs' target: "$1", "${1}" and "${name}" are groups (missing: empty), "$$" is a
 * dollar. Null without a match.
 */
function replaceMatches(text: string, source: string, template: string): string | null {
  const matcher = compile(source).matcher(text);
  let result = '';
  let at = 0;
  let isFound = false;
  while (matcher.find()) {
    result += text.slice(at, matcher.start()) + expand(template, matcher);
    at = matcher.end();
    isFound = true;
    if (result.length > maxValueLength)
      throw new RewriteError(`the new value is longer than ${maxValueLength} characters`);
  }
  return isFound ? result + text.slice(at) : null;
}

/** Linear time: eggs are untrusted. */
function compile(source: string): RE2JS {
  if (source.length > maxPatternLength) {
    throw new RewriteError(`the expression is longer than ${maxPatternLength} characters`);
  }
  try {
    const pattern = RE2JS.compile(source);
    if (pattern.programSize() > maxProgramSize) throw new RewriteError('the expression is too costly');
    return pattern;
  } catch (error) {
    if (error instanceof RE2JSException) throw new RewriteError(error.message, { cause: error });
    throw error;
  }
}

function expand(template: string, matcher: Matcher): string {
  return template.replace(/\$(?:\$|(\d{1,3})(?!\w)|(\w+)|\{(\w+)\})/g, (whole, number, name, braced) => {
    if (whole === '$$') return '$';
    return groupOf(matcher, String(number ?? name ?? braced));
  });
}

function groupOf(matcher: Matcher, name: string): string {
  if (/^\d+$/.test(name)) return Number(name) <= matcher.groupCount() ? (matcher.group(Number(name)) ?? '') : '';
  try {
    return matcher.group(name) ?? '';
  } catch (error) {
    // unknown group
    if (error instanceof RE2JSException) return '';
    throw error;
  }
}
