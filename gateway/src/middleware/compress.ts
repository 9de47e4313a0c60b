import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Route } from '../declaration/route.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';

/** Smaller answers fit into one packet anyway. */
const minBytes = 1_024;
/** Above this the compression costs more time than the transfer saves. */
const brotliQuality = 4;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Answers whose length must say nothing: those to requests that change something (keys, tokens, passwords), and those that
 * are declared to carry secrets. A caller whose text is repeated beside a secret could otherwise guess it by the length
 * (BREACH). Bytes of files are left as they are.
 */
export function isCompressible({ method, response, carriesSecrets }: Route): boolean {
  const isJson = response.kind === 'one' || response.kind === 'list' || isRawJson(response);
  return method === 'GET' && !carriesSecrets && isJson;
}

function isRawJson(response: Route['response']): boolean {
  return response.kind === 'raw' && response.types.every((type) => type === 'application/json');
}

/**
 * Compress JSON of at least 1 KiB where the client accepts it, on a thread of the pool. A text that was made to see its length
 * is what is sent: a list costs more to write than all the rest of its request.
 */
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

/** Clients name gzip first out of habit; Brotli is smaller at the same cost. Null: the answer goes as it is. */
function acceptedEncoding(ctx: RequestContext): 'br' | 'gzip' | null {
  if (ctx.req.headers['accept-encoding'] === undefined) return null;
  const best = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (best !== 'br' && best !== 'gzip') return null;
  return ctx.acceptsEncodings('br') === 'br' ? 'br' : best;
}

/** A JSON answer, encoded; null for everything else. */
function jsonOf(body: unknown, type: string): string | Buffer | null {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return type === 'application/json' ? body : null;
  const isEnvelope = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
  return isEnvelope ? JSON.stringify(body) : null;
}
