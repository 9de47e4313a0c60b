import type { IncomingMessage } from 'node:http';
import type { RequestMiddleware } from './request-state.js';
import { type BodyBudget, declaredLength } from '../http/body-budget.js';
import { clientGone } from '../http/client-gone.js';
import { allowSlowBody, sendContinue } from '../http/http-server.js';
import { parseJsonBytes } from '../http/json-limits.js';
import { countPassedBytes } from '../http/passed-bytes.js';
import { badRequest } from '../reasons.js';
import type { JsonThreads } from '../threads/json-threads.js';
import {
  type BodyRule,
  type BytesBody,
  type Route,
  type StreamBody,
  type UploadBody,
  uploadType,
} from '../declaration/route.js';

const maxJsonBytes = 1024 * 1024;
/** Always read: sign-in must work with an exhausted budget. */
const unbudgetedBytes = 16 * 1024;
/** Files inside JSON; larger ones are uploaded as bytes. */
const maxUploadJsonBytes = 4 * 1024 * 1024;

interface BodyDependencies {
  readonly bodyBudget: BodyBudget;
  readonly jsonThreads: Pick<JsonThreads, 'upload'>;
}

/** Checks form, not content. */
export function readBody({ bodyBudget, jsonThreads }: BodyDependencies, route: Route): RequestMiddleware {
  const rule = route.body;
  if (rule === null) return async (_ctx, next) => next();
  return async (ctx, next) => {
    const caller = ctx.state.caller?.identity.userId ?? ctx.state.ip;
    const reserve = (bytes: number) => bodyBudget.reserve(ctx.res, caller, bytes);
    const reader = { request: ctx.req, reserve };
    if (rule.kind === 'stream') ctx.state.body = readStream(ctx.req);
    else if (rule.kind === 'json' || rule.kind === 'bytes') ctx.state.body = await readWhole(reader, rule);
    else {
      const read = async (bytes: Buffer) => jsonThreads.upload(bytes, { key: caller, signal: clientGone(ctx.res) });
      ctx.state.body = await readUpload(reader, read);
    }
    return next();
  };
}

type WholeRule = Exclude<BodyRule, { kind: 'upload' | 'stream' }>;

interface BodyReader {
  readonly request: IncomingMessage;
  /** Throws BODY_BUDGET_EXHAUSTED. */
  readonly reserve: (bytes: number) => void;
}

async function readWhole(reader: BodyReader, rule: WholeRule): Promise<unknown> {
  const { request } = reader;
  const maxBytes = rule.kind === 'json' ? maxJsonBytes : rule.maxBytes;
  if (!hasBody(request)) return rule.kind === 'json' ? {} : missingBody();
  const type = contentType(request.headers['content-type'], rule.kind === 'json' ? ['application/json'] : rule.types);
  refuseCompression(request);
  const bytes = await readAll(reader, maxBytes);
  if (rule.kind === 'bytes') return { bytes, type } satisfies BytesBody;
  return parseJsonBytes(bytes);
}

/** No chunks without a body. */
function readStream(request: IncomingMessage): StreamBody {
  refuseCompression(request);
  return { chunks: bodyChunks(request) };
}

/** Bytes are read by the handler, after authorisation. */
async function readUpload(reader: BodyReader, read: (json: Buffer) => Promise<UploadBody>): Promise<UploadBody> {
  const { request } = reader;
  const type = contentType(request.headers['content-type'], ['application/json', uploadType]);
  refuseCompression(request);
  if (type === 'application/json') return read(await readAll(reader, maxUploadJsonBytes));
  return { kind: 'stream', chunks: bodyChunks(request), sizeBytes: declaredLength(request) };
}

async function* bodyChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  sendContinue(request);
  allowSlowBody(request);
  // An early exit must keep the connection for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    yield chunk as Buffer;
    countPassedBytes((chunk as Buffer).length);
  }
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

/** Throws BAD_REQUEST above `maxBytes` and discards the rest. */
async function readAll({ request, reserve }: BodyReader, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => badRequest(`the body is larger than ${maxBytes} bytes`);
  const declared = declaredLength(request);
  if ((declared ?? 0) > maxBytes) throw tooLarge();
  if (declared !== null && declared > unbudgetedBytes) reserve(declared);
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
      try {
        if (size > maxBytes) throw tooLarge();
        // Chunked: reserved on arrival.
        if (declared === null && size > unbudgetedBytes) reserve(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        finish(() => reject(error));
        request.resume();
      }
    };
    const onEnd = () => finish(() => resolve(Buffer.concat(chunks, size)));
    const onBroken = () => finish(() => reject(badRequest('the body ended early')));
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}
