/** An e-mail address as it is stored and looked up: without blanks around it, lower-case, NFC. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
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
