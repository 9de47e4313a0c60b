import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Route } from '../declaration/route.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

/** Smaller ones fit into one packet. */
const minBytes = 1_024;
/** Above: more compression time than transfer gain. */
const brotliQuality = 4;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Excludes responses whose length must not leak (BREACH): those to changes (keys, tokens, passwords), and declared
 * secrets. File bytes stay unchanged.
 */
export function isCompressible({ method, response, carriesSecrets }: Route): boolean {
  const isJson = response.kind === 'one' || response.kind === 'list' || isRawJson(response);
  return method === 'GET' && !carriesSecrets && isJson;
}

function isRawJson(response: Route['response']): boolean {
  return response.kind === 'raw' && response.types.every((type) => type === 'application/json');
}

/** JSON from 1 KiB, on a pool thread. Sends the text serialized for its length: lists are expensive. */
export function compress(): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    ctx.vary('Accept-Encoding');
    const encoding = ctx.method === 'HEAD' ? null : acceptedEncoding(ctx);
    const json = encoding === null ? null : jsonOf(ctx.body, ctx.response.type);
    if (encoding === null || json === null) return;
    ctx.type = 'application/json';
    const bytes = Buffer.isBuffer(json) ? json : Buffer.from(json);
    if (bytes.length < minBytes) {
      ctx.body = json;
      return;
    }
    ctx.body =
      encoding === 'br'
        ? await toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
        : await toGzip(bytes);
    ctx.set('Content-Encoding', encoding);
  };
}

/** Brotli is smaller than gzip at equal cost. Null: uncompressed. */
function acceptedEncoding(ctx: RequestContext): 'br' | 'gzip' | null {
  if (ctx.req.headers['accept-encoding'] === undefined) return null;
  const best = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (best !== 'br' && best !== 'gzip') return null;
  return ctx.acceptsEncodings('br') === 'br' ? 'br' : best;
}

/** Null: no JSON. */
function jsonOf(body: unknown, type: string): string | Buffer | null {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return type === 'application/json' ? body : null;
  const isEnvelope = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
  return isEnvelope ? JSON.stringify(body) : null;
}
