import { setHeaders } from '../http/headers.js';
import type { RequestMiddleware } from '../http/state.js';

/** On every answer, whatever it is. Nothing here is ever rendered, framed or cached. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-site',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export function setSecurityHeaders(): RequestMiddleware {
  const headers = Object.entries(securityHeaders);
  return (ctx, next) => {
    setHeaders(ctx.res, headers);
    return next();
  };
}
