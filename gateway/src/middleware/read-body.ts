import type { IncomingMessage } from 'node:http';
import type { RequestMiddleware } from './request-state.js';
import { allowSlowBody, sendContinue } from '../http/http-server.js';
import { parseJsonObject } from '../http/json-limits.js';
import { badRequest } from '../reasons.js';
import { type BodyRule, type BytesBody, type Route, type UploadBody, uploadType } from '../declaration/route.js';

const maxJsonBytes = 1024 * 1024;
/** A file inside JSON; larger files are uploaded as bytes. */
const maxUploadJsonBytes = 4 * 1024 * 1024;

/** Read the body the route asks for: its form is right afterwards, its content not yet looked at. */
export function readBody(route: Route): RequestMiddleware {
  const rule = route.body;
  if (rule === null) return async (_ctx, next) => next();
  return async (ctx, next) => {
    ctx.state.body = rule.kind === 'upload' ? await uploadOf(ctx.req) : await bodyOf(ctx.req, rule);
    return next();
  };
}

type WholeRule = Exclude<BodyRule, { kind: 'upload' }>;

async function bodyOf(request: IncomingMessage, rule: WholeRule): Promise<unknown> {
  const maxBytes = rule.kind === 'json' ? maxJsonBytes : rule.maxBytes;
  if (!hasBody(request)) return rule.kind === 'json' ? {} : missingBody();
  const type = contentType(request.headers['content-type'], rule.kind === 'json' ? ['application/json'] : rule.types);
  refuseCompression(request);
  const bytes = await readAll(request, maxBytes);
  if (rule.kind === 'bytes') return { bytes, type } satisfies BytesBody;
  return bytes.length === 0 ? {} : parseJsonObject(utf8(bytes));
}

/** Bytes are not read here but by the work, when it is known that they may come and where they go. */
async function uploadOf(request: IncomingMessage): Promise<UploadBody> {
  const type = contentType(request.headers['content-type'], ['application/json', uploadType]);
  refuseCompression(request);
  if (type === 'application/json') {
    const bytes = await readAll(request, maxUploadJsonBytes);
    return { kind: 'json', value: bytes.length === 0 ? {} : parseJsonObject(utf8(bytes)) };
  }
  const declared = request.headers['content-length'];
  return { kind: 'stream', chunks: bodyChunks(request), sizeBytes: declared === undefined ? null : Number(declared) };
}

async function* bodyChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  sendContinue(request);
  allowSlowBody(request);
  // Leaving the loop early must not destroy the connection: an answer is to be sent over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
}

function refuseCompression(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw badRequest('compressed bodies are not accepted');
}

function missingBody(): never {
  throw badRequest('the body is missing');
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function contentType(header: string | undefined, accepted: readonly string[]): string {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replace(/"/g, '');
  if (!accepted.includes(type)) throw badRequest(`the Content-Type must be ${accepted.join(' or ')}`);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') throw badRequest('the charset must be utf-8');
  return type;
}

/** All bytes of a body. Throws BAD_REQUEST above `maxBytes`; what follows is then dropped without being kept. */
async function readAll(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => badRequest(`the body is larger than ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  sendContinue(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (end: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      end();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        finish(() => reject(tooLarge()));
        request.resume();
      }
    };
    const onEnd = () => finish(() => resolve(Buffer.concat(chunks, size)));
    const onBroken = () => finish(() => reject(badRequest('the body ended early')));
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function utf8(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw badRequest('the body is not valid UTF-8');
    throw error;
  }
}
