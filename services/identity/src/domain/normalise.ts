import { domainToASCII } from 'node:url';

/**
 * Stored form: trimmed, lower case, NFKC, ASCII domain (IDNA, UTS #46). A domain invalid in IDNA becomes empty, which
 * validation refuses.
 */
export function normaliseEmail(email: string): string {
  const plain = email.normalize('NFKC').trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return plain;
  const domain = plain.slice(at + 1);
  // Skips ASCII domains: `domainToASCII` parses numbers as IPv4.
  const ascii = /[^\p{ASCII}]|(?:^|\.)xn--/u.test(domain) ? domainToASCII(domain) : domain;
  return `${plain.slice(0, at)}@${ascii}`;
}

/** NFKC without invisible characters (zero-width blanks, soft hyphens, fillers). */
export function visible(text: string): string {
  return text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Unique form: `Anna` equals `anna`. */
export function usernameKey(username: string): string {
  return username.normalize('NFC').toLowerCase();
}

const maxUserAgentLength = 256;

/** For session lists: no control or formatting characters, at most 256 characters. */
export function displayableUserAgent(userAgent: string): string {
  const visible = userAgent.slice(0, 4 * maxUserAgentLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return Array.from(visible).slice(0, maxUserAgentLength).join('').trim();
}
