import { domainToUnicode } from 'node:url';
import { isOneLine } from '@panel/kit/text';
import { z } from 'zod';
import { isAddressRange } from './allowed-addresses.js';
import { normaliseEmail, visible } from './normalise.js';
import { keyPermissions, rolePermissions } from './permissions.js';
import { isMixedScript } from './scripts.js';

/* Rules for request fields, by REST name: the messages appear in `details`. */

const maxPasswordBytes = 1024;
const minPasswordLength = 10;

const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const emailPattern = new RegExp(String.raw`^[\p{L}\p{N}.!#$%&'*+/=?^_\x60{|}~-]{1,64}@${label}(?:\.${label})*$`, 'u');

/** Normalised after parsing. */
export const email = z
  .string()
  .max(254, 'must be at most 254 characters')
  .refine((value) => !value.split(/[@.]/).some(isMixedScript), 'must not mix letters of different scripts')
  .refine(isEmail, 'must be an e-mail address')
  .transform(normaliseEmail)
  .refine((value) => emailPattern.test(value), 'must be an e-mail address')
  .refine((value) => !isInIdnaForm(shownDomain(value)), 'must be an e-mail address')
  .refine((value) => !shownDomain(value).split('.').some(isMixedScript), 'must not mix letters of different scripts');

function isEmail(value: string): boolean {
  const plain = value.normalize('NFKC').trim();
  return emailPattern.test(plain) && visible(plain) === plain;
}

/** As mail programs display it; invalid IDNA stays unchanged or becomes empty. */
function shownDomain(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return isInIdnaForm(domain) ? domainToUnicode(domain) : domain;
}

function isInIdnaForm(domain: string): boolean {
  return /(?:^|\.)xn--/.test(domain);
}

export const username = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    'must be 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit at both ends',
  );

/** New password. Length in characters, bounded in bytes, untrimmed. */
export const newPassword = z
  .string()
  .refine((value) => Array.from(value).length >= minPasswordLength, `must be at least ${minPasswordLength} characters`)
  .refine(isHashable, `must be at most ${maxPasswordBytes} bytes`);

/** For comparison. */
export const passwordInput = z
  .string()
  .min(1, 'is required')
  .refine(isHashable, `must be at most ${maxPasswordBytes} bytes`);

export function isHashable(password: string): boolean {
  return Buffer.byteLength(password) <= maxPasswordBytes;
}

/** One displayed line. */
export const singleLine = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min, min === 1 ? 'is required' : `must be at least ${min} characters`)
    .max(max, `must be at most ${max} characters`)
    .refine(isOneLine, 'must be one line without control characters');

export const allowedIps = z
  .array(z.string().trim().toLowerCase().refine(isAddressRange, 'must be addresses or CIDR ranges, IPv4 or IPv6'))
  .max(50, 'must be at most 50')
  .transform((list) => [...new Set(list)]);

const permissionList = (known: ReadonlySet<string>) =>
  z
    .array(
      z.string().refine((name) => known.has(name), {
        error: ({ input }) => `holds what is no permission: ${String(input).slice(0, 64)}`,
        params: { reason: 'not_found' },
      }),
    )
    .max(100, 'must be at most 100')
    .transform((list) => [...new Set(list)].sort());

/** Refuses names that look like others. */
export const roleName = z
  .string()
  .transform((name) => name.normalize('NFKC'))
  .pipe(singleLine(1, 64))
  .refine((name) => visible(name).trim() !== '', 'is required')
  .refine((name) => !name.split(/\s/).some(isMixedScript), 'must not mix letters of different scripts');

export const rolePermissionList = permissionList(rolePermissions);

export const keyPermissionList = permissionList(keyPermissions);

export const personName = z
  .string()
  .trim()
  .max(100, 'must be at most 100 characters')
  .refine(isOneLine, 'must be one line without control characters');

/** BCP 47 tag. */
export const language = z
  .string()
  .max(35, 'must be at most 35 characters')
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag like en or pt-BR');

export const externalId = personName;

export const rateLimitMultiplier = z
  .number('must be a number')
  .refine((value) => value > 0 && value <= 100, 'must be above 0 and at most 100');
