import { setHeaders } from '../http/headers.js';
import { securityHeaders } from '../http/security-headers.js';
import type { RequestMiddleware } from './request-state.js';

export function setSecurityHeaders(): RequestMiddleware {
  const headers = Object.entries(securityHeaders);
  return (ctx, next) => {
    setHeaders(ctx.res, headers);
    return next();
  };
}
