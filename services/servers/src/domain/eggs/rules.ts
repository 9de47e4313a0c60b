import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { compileDelimited } from './pattern.js';

/** Laravel rules in an own evaluator: untrusted rules run in linear time without effects. Values are text. */
interface VariableRules {
  /** Regardless of the other rules. */
  readonly isRequired: boolean;
  /** Messages for users; empty: valid. */
  check(value: string): string[];
  /** Ignored rules. */
  readonly unknown: readonly string[];
  /** E.g. an expression that does not compile; without effect. */
  readonly broken: readonly { readonly rule: string; readonly problem: string }[];
}

/** A message, or null. */
type Check = (value: string) => string | null;
interface RuleContext {
  readonly parameter: string;
  /** Sizes are values, not lengths. */
  readonly isNumeric: boolean;
}
/** Null: no effect on non-empty values; text: why the rule is broken. */
type RuleMaker = (context: RuleContext) => Check | null | string;

const integerPattern = /^\s*[+-]?(0|[1-9]\d{0,18})\s*$/;
const numericPattern = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?\s*$/;

const isInteger = (value: string) => integerPattern.test(value);
const isNumber = (value: string) => numericPattern.test(value);
/** Code points, as mb_strlen in PHP. */
const lengthOf = (value: string) => Array.from(value).length;

/** Exact: Steam ids exceed the precision of a float. */
type Size = number | bigint;
const sizeOf = (number: string): Size => (/^\s*[+-]?\d+\s*$/.test(number) ? BigInt(number.trim()) : Number(number));

const isBetween = (size: Size, a: Size, b: Size) => size >= a && size <= b;

const says =
  (passes: (value: string) => boolean, message: string): RuleMaker =>
  () =>
  (value) =>
    passes(value) ? null : message;

/** Compares the value of numbers, the length of text. */
const sized =
  (passes: (size: Size, a: Size, b: Size) => boolean, words: string, count: 1 | 2 = 1): RuleMaker =>
  ({ parameter, isNumeric }) => {
    const limits = parameter.split(',', count);
    if (limits.length < count || !limits.every(isNumber)) return 'needs numbers';
    const [a = 0, b = 0] = limits.map(sizeOf);
    const message = `must ${isNumeric ? 'be' : 'have'} ${words.replace('A', String(a)).replace('B', String(b))}`;
    return (value) => {
      const size = isNumeric && isNumber(value) ? sizeOf(value) : lengthOf(value);
      return passes(size, a, b) ? null : isNumeric ? message : `${message} characters`;
    };
  };

const digits =
  (count: 1 | 2): RuleMaker =>
  ({ parameter }) => {
    const [min, max = min] = parameter.split(',').map(Number);
    if (min === undefined || max === undefined || Number.isNaN(min + max)) return 'needs numbers';
    const message = count === 1 ? `must have ${min} digits` : `must have ${min} to ${max} digits`;
    return (value) => (/^\d+$/.test(value) && value.length >= min && value.length <= max ? null : message);
  };

const listed =
  (passes: (value: string, items: readonly string[]) => boolean, words: string): RuleMaker =>
  ({ parameter }) => {
    const items = parseCsv(parameter);
    const message = `${words} ${items
      .slice(0, 20)
      .map((item) => item || '(nothing)')
      .join(', ')}`;
    return (value) => (passes(value, items) ? null : message);
  };

const expression =
  (isWanted: boolean): RuleMaker =>
  ({ parameter }) => {
    const pattern = compileDelimited(parameter);
    if (typeof pattern === 'string') return pattern;
    return (value) => (pattern.test(value) === isWanted ? null : 'does not have the right format');
  };

const nothing: RuleMaker = () => null;

/** All rules of the public eggs, and relatives. */
const makers: Readonly<Record<string, RuleMaker>> = {
  required: nothing,
  filled: nothing,
  present: nothing,
  nullable: nothing,
  sometimes: nothing,
  bail: nothing,
  string: nothing,
  boolean: says((value) => value === '1' || value === '0', 'must be 1 or 0'),
  bool: says((value) => value === '1' || value === '0', 'must be 1 or 0'),
  integer: says(isInteger, 'must be a whole number'),
  int: says(isInteger, 'must be a whole number'),
  numeric: says(isNumber, 'must be a number'),
  alpha: says((value) => /^[\p{L}\p{M}]+$/u.test(value), 'may hold letters only'),
  alpha_num: says((value) => /^[\p{L}\p{M}\p{N}]+$/u.test(value), 'may hold letters and digits only'),
  alpha_dash: says((value) => /^[\p{L}\p{M}\p{N}_-]+$/u.test(value), 'may hold letters, digits, - and _ only'),
  lowercase: says((value) => value === value.toLowerCase(), 'must be in lower case'),
  uppercase: says((value) => value === value.toUpperCase(), 'must be in upper case'),
  url: says((value) => /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) && URL.canParse(value), 'must be a URL'),
  ip: says((value) => isIP(value) !== 0, 'must be an IP address'),
  ipv4: says((value) => isIP(value) === 4, 'must be an IPv4 address'),
  ipv6: says((value) => isIP(value) === 6, 'must be an IPv6 address'),
  email: says((value) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value), 'must be an e-mail address'),
  uuid: says((value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value), 'must be a UUID'),
  min: sized((size, a) => size >= a, 'at least A'),
  max: sized((size, a) => size <= a, 'at most A'),
  size: sized((size, a) => isBetween(size, a, a), 'exactly A'),
  gt: sized((size, a) => size > a, 'more than A'),
  gte: sized((size, a) => size >= a, 'at least A'),
  lt: sized((size, a) => size < a, 'less than A'),
  lte: sized((size, a) => size <= a, 'at most A'),
  between: sized(isBetween, 'between A and B', 2),
  digits: digits(1),
  digits_between: digits(2),
  in: listed((value, items) => items.includes(value), 'must be one of:'),
  not_in: listed((value, items) => !items.includes(value), 'must not be one of:'),
  starts_with: listed((value, items) => items.some((item) => value.startsWith(item)), 'must start with one of:'),
  ends_with: listed((value, items) => items.some((item) => value.endsWith(item)), 'must end with one of:'),
  regex: expression(true),
  not_regex: expression(false),
};

const maxCachedRules = 2_000;
const cache = new LRUCache<string, VariableRules>({ max: maxCachedRules });

/** Cached: every list of servers evaluates rules. */
export function compileRules(rules: readonly string[]): VariableRules {
  const key = rules.join('\n');
  const known = cache.get(key);
  if (known) return known;
  const compiled = compile(rules);
  cache.set(key, compiled);
  return compiled;
}

function compile(rules: readonly string[]): VariableRules {
  const parsed = rules.map(parseRule).filter(({ name }) => name !== '');
  const isNumeric = parsed.some(({ name }) => name === 'numeric' || name === 'integer' || name === 'int');
  const isRequired = parsed.some(({ name }) => name === 'required' || name === 'filled');
  const isNullable = parsed.some(({ name }) => name === 'nullable');
  const checks: Check[] = [];
  const unknown: string[] = [];
  const broken: { rule: string; problem: string }[] = [];
  for (const { text, name, parameter } of parsed) {
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    const check = make?.({ parameter, isNumeric });
    if (check === undefined) unknown.push(name);
    else if (typeof check === 'string') broken.push({ rule: text, problem: `${name}: ${check}` });
    else if (check) checks.push(check);
  }
  return { isRequired, unknown, broken, check: (value) => checkValue(value, { isRequired, isNullable }, checks) };
}

/** Empty values run the other rules unless nullable. */
function checkValue(
  value: string,
  { isRequired, isNullable }: { readonly isRequired: boolean; readonly isNullable: boolean },
  checks: readonly Check[],
): string[] {
  const isEmpty = value.trim() === '';
  if (isEmpty && isRequired) return ['is required'];
  if (isEmpty && isNullable) return [];
  return checks.map((check) => check(isEmpty ? '' : value)).filter((message) => message !== null);
}

function parseRule(text: string): { text: string; name: string; parameter: string } {
  const colon = text.indexOf(':');
  const name = (colon === -1 ? text : text.slice(0, colon)).trim().toLowerCase();
  return { text, name, parameter: colon === -1 ? '' : text.slice(colon + 1) };
}

/** Double quotes enclose commas; doubled quotes are one. */
function parseCsv(text: string): string[] {
  const items: string[] = [];
  let item = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"' && isQuoted && text[at + 1] === '"') item += text[++at];
    else if (character === '"' && (isQuoted || item === '')) isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      items.push(item);
      item = '';
    } else item += character;
  }
  return [...items, item];
}

/** "required|regex:/a|b/|max:20": an expression ends at its delimiter, flags, then `|` or the end. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let rest = text;
  while (rest !== '') {
    const end = endOfRule(rest);
    rules.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== '');
}

function endOfRule(text: string): number {
  const start = /^\s*(?:not_)?regex:/.exec(text)?.[0].length;
  const from = start === undefined ? 0 : endOfExpression(text, start);
  const bar = text.indexOf('|', from);
  return bar === -1 ? text.length : bar;
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** Bracket delimiters nest. */
function endOfExpression(text: string, start: number): number {
  const open = text[start] ?? '';
  const close = closing[open];
  let depth = 1;
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === (close ?? open)) {
      depth--;
      if (depth <= 0 && /^[a-zA-Z]*(\||$)/.test(text.slice(at + 1, at + 12))) return at + 1;
    } else if (close !== undefined && character === open) depth++;
  }
  return start;
}
