import { type HeaderList, setHeaders } from '../http/headers.js';
import type { Site, SiteFile } from '../site/read-site.js';
import type { RequestMiddleware, RequestContext } from './request-state.js';

/**
 * Own resources only; files may go to nodes. Nothing inline; the one Trusted Types policy allows only the worker's URL.
 */
const policyFor = (connections: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...connections].join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types panel',
  ].join('; ');
export const sitePolicy = policyFor([]);

const common: HeaderList = [
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Vary', 'Accept-Encoding'],
];
const indexHeaders = [...common, ['Cache-Control', 'no-store'] as const];
const policyHeader = (policy: string) => ['Content-Security-Policy', policy] as const;
/** File names change with their content. */
const fileHeaders = [
  ...common,
  policyHeader(sitePolicy),
  ['Cache-Control', 'public, max-age=31536000, immutable'] as const,
];

/**
 * From memory, without rate limits; the index for all other pages. `reserved` first segments belong to routes. Pages
 * may connect to `nodes`.
 */
export function serveSite(
  site: Site,
  reserved: ReadonlySet<string>,
  nodes: () => Promise<readonly string[]>,
): RequestMiddleware {
  const replyIndex = async (ctx: RequestContext) =>
    reply(ctx, site.index, [...indexHeaders, policyHeader(policyFor(await nodes()))]);
  return (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const file = site.files.get(ctx.path);
    if (file) return reply(ctx, file, fileHeaders);
    const isPage = !reserved.has(ctx.path.split('/')[1] ?? '') && ctx.accepts(['json', 'html']) === 'html';
    return isPage ? replyIndex(ctx) : next();
  };
}

function reply(ctx: RequestContext, file: SiteFile, headers: HeaderList): void {
  setHeaders(ctx.res, headers);
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const packed = encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzip : null;
  if (packed && encoding !== false) ctx.set('Content-Encoding', encoding);
  ctx.status = 200;
  ctx.type = file.type;
  ctx.body = packed ?? file.plain;
}
