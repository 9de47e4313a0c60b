import { z } from 'zod';

/** A number of DATEV; 0: none. */
export function noneOr(min: number, max: number): z.ZodType<number> {
  return z.int().refine((value) => value === 0 || (value >= min && value <= max), `must be 0 or ${min} to ${max}`);
}

/** Of the chart SKR 03: a suggestion, to be checked by an accountant. None of them computes tax by itself. */
export const skr03 = [
  'cash=1360,cash:manual=1200,receivable=1410,sales=8200,tax=1770,tax:DE:1900=1776,tax:DE:700=1771',
  'credits=1700,debt=1500,usage=1710,disputed=1590,promotion=8700,written_off=2400',
].join(',');

const classes = [
  'cash',
  'receivable',
  'sales',
  'tax',
  'credits',
  'debt',
  'usage',
  'disputed',
  'promotion',
  'written_off',
];

const entry = /^(cash(?::[a-z]{1,20})?|tax(?::[A-Z]{0,2}(?::\d{1,5})?)?|[a-z_]+)=([1-9]\d{2,8})$/;

/** Null: malformed, an unknown class, or one of them twice. */
function namesOf(text: string): Set<string> | null {
  const names = text.split(',').map((part) => entry.exec(part.trim())?.[1] ?? '');
  const known = new Set(names);
  const areKnown = names.every((name) => classes.includes(name.split(':')[0] ?? ''));
  return areKnown && known.size === names.length ? known : null;
}

export const datevAccounts = z
  .string()
  .max(2000, 'must be at most 2000 characters')
  .refine(
    (text) => namesOf(text) !== null,
    'must look like cash=1360,cash:manual=1200,tax:DE:1900=1776; each name once',
  )
  .refine(
    (text) => {
      const names = namesOf(text);
      return names === null || classes.every((name) => names.has(name));
    },
    `must have an account for each of ${classes.join(', ')}`,
  );

/** Accounts that are longer than those of persons, which have a digit more than others. */
export function tooLongAccounts(text: string, digits: number): string[] {
  return text.split(',').filter((part) => (part.split('=')[1] ?? '').trim().length > digits + 1);
}
