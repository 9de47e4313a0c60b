import type { z } from 'zod';
import { addProblem, type FieldMessages, fieldProblem, type FieldReason } from './field-problem.js';

type Issue = z.core.$ZodIssue;

/**
 * Nested fields as `config.startup`. Needs issues with their input (`reportInput`). `nameOf`: a field's name in the API,
 * with the names before it.
 */
export function issueMessages(
  issues: readonly Issue[],
  nameOf: (key: string, before: readonly string[]) => string = (key) => key,
): FieldMessages {
  const fields: FieldMessages = {};
  for (const { path, issue } of issues.flatMap((each) => leavesOf(each, []))) {
    const keys = path.map(String);
    const at = keys.map((key, index) => nameOf(key, keys.slice(0, index))).join('.');
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        addProblem(fields, at === '' ? key : `${at}.${key}`, fieldProblem('unknown_field', 'is not a known field'));
      }
    } else addProblem(fields, at === '' ? 'body' : at, fieldProblem(reasonOf(issue), messageOf(issue)));
  }
  return fields;
}

interface Leaf {
  readonly path: readonly PropertyKey[];
  readonly issue: Issue;
}

/** Of a union: the problems of the form that was meant, at the fields that have them. */
function leavesOf(issue: Issue, before: readonly PropertyKey[]): Leaf[] {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ path, issue }];
  const meant = issue.errors.filter((problems) => problems.length > 0 && !problems.some(isOfOtherForm));
  if (meant.length !== 1) return [{ path, issue }];
  return (meant[0] ?? []).flatMap((each) => leavesOf(each, path));
}

function isOfOtherForm(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

function isAbsent(issue: Issue): boolean {
  return (issue.code === 'invalid_type' || issue.code === 'invalid_union') && issue.input === undefined;
}

function isOfText(origin: string): boolean {
  return ['string', 'array', 'set', 'map', 'file'].includes(origin);
}

function reasonOf(issue: Issue): FieldReason {
  if (isAbsent(issue)) return 'required';
  switch (issue.code) {
    case 'invalid_type':
      return 'wrong_type';
    case 'too_small':
      return isOfText(issue.origin) ? 'too_short' : 'out_of_range';
    case 'too_big':
      return isOfText(issue.origin) ? 'too_long' : 'out_of_range';
    case 'invalid_value':
      return 'not_allowed';
    case 'custom':
      return (issue.params?.['reason'] as FieldReason | undefined) ?? 'invalid';
    case 'invalid_union':
      // Of a discriminated union: no form has this name.
      if (issue.errors.length === 0) return 'not_allowed';
      return issue.errors.every((problems) => problems.some(isOfOtherForm)) ? 'wrong_type' : 'invalid';
    default:
      return 'invalid';
  }
}

/** Prefixes of zod's own messages. */
const zodsWords = /^(Invalid|Too small|Too big|Unrecognized)/;

function messageOf(issue: Issue): string {
  if (isAbsent(issue)) return 'is required';
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
    case 'invalid_union':
      return unionMessage(issue.errors);
    default:
      return 'is not valid';
  }
}

/** `must be an object or an integer`. */
function unionMessage(forms: readonly (readonly Issue[])[]): string {
  const types = forms.map((problems) => problems.find((each) => each.code === 'invalid_type' && isOfOtherForm(each)));
  const names = types.flatMap((each) => (each?.code === 'invalid_type' ? [article(each.expected)] : []));
  return names.length === forms.length ? `must be ${[...new Set(names)].join(' or ')}` : 'is not valid';
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
