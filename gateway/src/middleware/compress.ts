import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Route } from '../declaration/route.js';
import type { RequestMiddleware } from './request-state.js';

/** Smaller answers fit into one packet anyway. */
const minBytes = 1_024;
/** Above this the compression costs more time than the transfer saves. */
const brotliQuality = 4;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Answers whose length must say nothing: those to requests that change something (keys, tokens, passwords), and those that
 * are declared to carry secrets. Whoever can have a text repeated beside a secret could otherwise guess it by the length
 * (BREACH). Bytes of files are left as they are.
 */
export function isCompressible({ method, response, carriesSecrets }: Route): boolean {
  const isJson = response.kind === 'one' || response.kind === 'list' || isRawJson(response);
  return method === 'GET' && !carriesSecrets && isJson;
}

function isRawJson(response: Route['response']): boolean {
  return response.kind === 'raw' && response.types.every((type) => type === 'application/json');
}

/** Compress JSON of at least 1 KiB where the client accepts it, on a thread of the pool. */
export function compress(): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    ctx.vary('Accept-Encoding');
    const text = jsonText(ctx.body, ctx.response.type);
    if (text === null || ctx.method === 'HEAD' || Buffer.byteLength(text) < minBytes) return;
    const best = ctx.acceptsEncodings('br', 'gzip', 'identity');
    if (best !== 'br' && best !== 'gzip') return;
    // Clients name gzip first out of habit; Brotli is smaller at the same cost.
    const encoding = ctx.acceptsEncodings('br') === 'br' ? 'br' : best;
    const bytes = Buffer.from(text);
    ctx.body =
      encoding === 'br'
        ? await toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
        : await toGzip(bytes);
    ctx.type = 'application/json';
    ctx.set('Content-Encoding', encoding);
  };
}

/** The text of a JSON answer; null for everything else. */
function jsonText(body: unknown, type: string): string | null {
  if (typeof body === 'string') return type === 'application/json' ? body : null;
  const isEnvelope = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
  return isEnvelope ? JSON.stringify(body) : null;
}
