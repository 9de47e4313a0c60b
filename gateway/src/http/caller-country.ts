import type { IncomingMessage } from 'node:http';
import { createProxyCheck, normalizeIp } from '@panel/kit/net';

/** ISO 3166-1 alpha-2; empty: unknown. */
export type CountryFinder = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** By a header that trusted proxies set; an empty name: none does. */
export function createCountryFinder(header: string, trustedProxies: readonly string[]): CountryFinder {
  const isProxy = createProxyCheck(trustedProxies);
  return ({ headers, socket }) => {
    const value = header === '' ? undefined : headers[header];
    const address = normalizeIp(socket.remoteAddress ?? '');
    if (typeof value !== 'string' || address === null || !isProxy(address)) return '';
    // proxies say XX for an unknown country, and other words for networks without one
    return /^[A-Z]{2}$/.test(value) && value !== 'XX' ? value : '';
  };
}
