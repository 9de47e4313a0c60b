import { isOneLine, isTimezone } from '@panel/kit/text';
import { z } from 'zod';

/** One line, up to `max` characters: control characters could forge headers and log lines. */
export const line = (max: number) =>
  z
    .string()
    .max(max, `must be at most ${max} characters`)
    .refine(isOneLine, 'must be one line without control characters');

/** Common RFC 5321 address: no name, comments or quotes, thus header-safe. */
const mailAddressPattern = /^[^\s"(),:;<>@[\\\]]{1,64}@[^\s"(),:;<>@[\\\]]+$/u;

export const mailAddress = z
  .string()
  .max(254, 'must be at most 254 characters')
  .regex(mailAddressPattern, 'must be an e-mail address')
  .refine(isOneLine, 'must be an e-mail address');

/** IANA. */
export const timezone = z.string().refine(isTimezone, 'must be a time zone like Europe/Berlin');

/** BCP 47 tag. */
export const locale = z
  .string()
  .max(35)
  .refine((text) => isAccepted(() => Intl.getCanonicalLocales(text)), 'must be a language like en or pt-BR');

function isAccepted(use: () => unknown): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Stored without trailing slash. */
export const siteUrl = z
  .string()
  .max(255, 'must be at most 255 characters')
  .refine(isSiteUrl, 'must be an http or https address without user, query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

function isSiteUrl(text: string): boolean {
  if (!isOneLine(text) || !/^https?:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' && !text.includes('?');
}

export const integer = (min: number, max: number) => {
  const message = `must be an integer between ${min} and ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message);
};
