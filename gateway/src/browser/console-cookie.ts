import type { IncomingHttpHeaders } from 'node:http';

/**
 * Refresh token of a browser. `__Host-` keeps other hosts, including sibling subdomains, from setting it (RFC 6265bis
 * §4.1.3.2). Without TLS (loopback only) browsers refuse the prefix.
 */
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
const secureName = '__Host-panel';
const loopbackName = 'panel';

/** By the page's scheme: its origin is already checked. */
function isSecure({ origin = '' }: IncomingHttpHeaders): boolean {
  return origin.startsWith('https:');
}

/** Null without one, or with several: one is planted. */
export function readConsoleCookie(headers: IncomingHttpHeaders): string | null {
  const name = isSecure(headers) ? secureName : loopbackName;
  const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, Math.max(0, at)).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value = ''] = values;
  return values.length === 1 && value !== '' ? value : null;
}

/** Set-Cookie header. */
export function consoleCookie(headers: IncomingHttpHeaders, refreshToken: string, maxAgeSeconds: number): string {
  const start = isSecure(headers) ? `${secureName}=${refreshToken}; Secure` : `${loopbackName}=${refreshToken}`;
  return `${start}; ${attributes}; Max-Age=${maxAgeSeconds}`;
}

export function removedConsoleCookie(headers: IncomingHttpHeaders): string {
  return consoleCookie(headers, '', 0);
}
