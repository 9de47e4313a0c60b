import { domainToASCII } from 'node:url';

/**
 * An e-mail address as it is stored and looked up: without surrounding blanks, lower-case, NFKC, its domain in ASCII (IDNA,
 * UTS #46). A domain that IDNA refuses becomes empty, which no check of addresses accepts.
 */
export function normaliseEmail(email: string): string {
  const plain = email.normalize('NFKC').trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return plain;
  const domain = plain.slice(at + 1);
  // Only names with other letters need it; it would read numbers as an IPv4 address.
  const ascii = /[^\p{ASCII}]|(?:^|\.)xn--/u.test(domain) ? domainToASCII(domain) : domain;
  return `${plain.slice(0, at)}@${ascii}`;
}

/** A text as NFKC, without invisible characters: blanks of no width, soft hyphens, fillers. */
export function visible(text: string): string {
  return text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** What makes a username unique: `Anna` and `anna` are one. */
export function usernameKey(username: string): string {
  return username.normalize('NFC').toLowerCase();
}

const maxUserAgentLength = 256;

/** A user agent fit to be shown in a session list: no control or formatting characters, at most 256 characters. */
export function displayableUserAgent(userAgent: string): string {
  const visible = userAgent.slice(0, 4 * maxUserAgentLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return Array.from(visible).slice(0, maxUserAgentLength).join('').trim();
}
