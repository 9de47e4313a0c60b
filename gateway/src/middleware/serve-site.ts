import { type HeaderList, setHeaders } from '../http/headers.js';
import type { Site, SiteFile } from '../site/read-site.js';
import type { RequestMiddleware, RequestContext } from './request-state.js';

/**
 * The page loads scripts, styles and answers from this panel only, and files go to nodes that take them. Nothing inline is
 * allowed, and no string becomes a script or markup but the address of the page's own worker: the one Trusted Types policy.
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
/** The name of a file changes with its content. */
const fileHeaders = [
  ...common,
  policyHeader(sitePolicy),
  ['Cache-Control', 'public, max-age=31536000, immutable'] as const,
];

/**
 * Serve the web console from memory, outside of rate limits: its files by name, and the index for every other page a browser
 * asks for. Paths whose first word is `reserved` belong to routes. Pages may talk to this panel, and to the origins of
 * `nodes`, which take files themselves.
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
