import { ApiError, isRecord } from './api-error.js';
import type { Answer, Bytes, ListAnswer, Method, PageMeta } from './endpoint.js';

/** Parameters; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request with everything but its credentials. */
export interface WireRequest {
  readonly method: Method;
  /** Under /api/v1, with its ids. */
  readonly path: string;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes | undefined;
  readonly signal: AbortSignal | undefined;
  /** Until the answer has been read; null: as long as it takes. */
  readonly timeoutMs: number | null;
}

/** Sends requests to one panel. */
export interface Transport {
  /** Answers with a body that is still to be read, within no time. Throws ApiError for every answer outside 2xx. */
  open(request: WireRequest, token: string | undefined): Promise<Response>;
  /** Answers with the envelope taken off. Throws ApiError for every answer outside 2xx. */
  send(request: WireRequest, token: string | undefined): Promise<Answer<unknown> | ListAnswer<unknown>>;
}

export function createTransport(baseUrl: string): Transport {
  const call = async (request: WireRequest, token: string | undefined, signal: AbortSignal) =>
    fetch(addressOf(baseUrl, request), {
      method: request.method,
      headers: { accept: 'application/json', ...request.headers, ...(token && { authorization: `Bearer ${token}` }) },
      ...bodyOf(request.body),
      signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
    });
  return {
    open: async (request, token) =>
      within(request.timeoutMs, async (signal) => {
        const response = await call(request, token, signal);
        if (response.ok) return response;
        throw ApiError.from(response, parse(await response.text()));
      }),
    send: async (request, token) =>
      within(request.timeoutMs, async (signal) => {
        const response = await call(request, token, signal);
        const body = parse(await response.text());
        if (!response.ok) throw ApiError.from(response, body);
        const { status, headers } = response;
        if (!isRecord(body)) return { status, headers, data: body };
        return {
          status,
          headers,
          data: body.data,
          ...(isRecord(body.meta) && { meta: body.meta as unknown as PageMeta }),
        };
      }),
  };
}

/** As a part of a path, these would not be the part they are written for. */
const unfit = new Set(['', '.', '..']);

/** The path of an endpoint with its ids: `backup_id` stands for `{backup-id}`. Throws TypeError when one is missing. */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name.replaceAll('-', '_')];
    if (value === undefined || unfit.has(value)) throw new TypeError(`${path} needs a value for ${name}`);
    return encodeURIComponent(value);
  });
}

/** Whether a body can be sent again. */
export function isRepeatable(body: Bytes | undefined): boolean {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

function addressOf(baseUrl: string, { path, query }: WireRequest): URL {
  const url = new URL(`${baseUrl}/api/v1${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function bodyOf(body: Bytes | undefined): RequestInit {
  if (body === undefined) return {};
  if (typeof body === 'string' || body instanceof Uint8Array) return { body: body as string | Uint8Array<ArrayBuffer> };
  return { body: ReadableStream.from(body) as ReadableStream<Uint8Array>, duplex: 'half' };
}

/** Text that is no JSON comes from something in between, like a proxy. */
function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** Do something that a signal ends when the time is over. The rest of it afterwards, like a body, is not bounded. */
async function within<T>(timeoutMs: number | null, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  if (timeoutMs === null) return act(deadline.signal);
  const late = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError');
  const timer = setTimeout(() => deadline.abort(late), timeoutMs);
  try {
    return await act(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
