import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie that carries the refresh token of a browser. With TLS the `__Host-` prefix keeps other hosts, sibling
 * subdomains included, from setting it (RFC 6265bis §4.1.3.2). Without TLS, on loopback only, browsers refuse that prefix.
 */
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
const secureName = '__Host-panel';
const loopbackName = 'panel';

/** By the scheme of the page, which is the panel's own once its origin has been checked. */
function isSecure({ origin = '' }: IncomingHttpHeaders): boolean {
  return origin.startsWith('https:');
}

/** The refresh token in the cookie; null without one, or with several, of which one was planted. */
export function readConsoleCookie(headers: IncomingHttpHeaders): string | null {
  const name = isSecure(headers) ? secureName : loopbackName;
  const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, Math.max(0, at)).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value = ''] = values;
  return values.length === 1 && value !== '' ? value : null;
}

/** The Set-Cookie header with a refresh token that lives for `maxAgeSeconds`. */
export function consoleCookie(headers: IncomingHttpHeaders, refreshToken: string, maxAgeSeconds: number): string {
  const start = isSecure(headers) ? `${secureName}=${refreshToken}; Secure` : `${loopbackName}=${refreshToken}`;
  return `${start}; ${attributes}; Max-Age=${maxAgeSeconds}`;
}

/** The Set-Cookie header that removes the cookie. */
export function removedConsoleCookie(headers: IncomingHttpHeaders): string {
  return consoleCookie(headers, '', 0);
}
