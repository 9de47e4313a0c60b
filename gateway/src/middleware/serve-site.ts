import { type HeaderList, setHeaders } from '../http/headers.js';
import type { Site, SiteFile } from '../site/read-site.js';
import type { RequestMiddleware, RequestContext } from './request-state.js';

/**
 * The page loads scripts, styles and answers from this panel only. Nothing inline is allowed, and no string becomes a
 * script: the one Trusted Types policy makes addresses of workers.
 */
export const sitePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types panel',
].join('; ');

const common: HeaderList = [
  ['Content-Security-Policy', sitePolicy],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Vary', 'Accept-Encoding'],
];
const indexHeaders = [...common, ['Cache-Control', 'no-store'] as const];
/** The name of a file changes with its content. */
const fileHeaders = [...common, ['Cache-Control', 'public, max-age=31536000, immutable'] as const];

/**
 * Serve the web console from memory, outside of rate limits: its files by name, and the index for every other page a browser
 * asks for. Paths whose first word is `reserved` belong to routes.
 */
export function serveSite(site: Site, reserved: ReadonlySet<string>): RequestMiddleware {
  return (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const file = site.files.get(ctx.path);
    if (file) return reply(ctx, file, fileHeaders);
    const isPage = !reserved.has(ctx.path.split('/')[1] ?? '') && /\btext\/html\b/.test(ctx.get('accept'));
    return isPage ? reply(ctx, site.index, indexHeaders) : next();
  };
}

async function reply(ctx: RequestContext, file: SiteFile, headers: HeaderList): Promise<void> {
  setHeaders(ctx.res, headers);
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const packed = encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzip : null;
  if (packed && encoding !== false) ctx.set('Content-Encoding', encoding);
  ctx.status = 200;
  ctx.type = file.type;
  ctx.body = packed ?? file.plain;
}
