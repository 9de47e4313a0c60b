import { ApiError } from './api-error.js';
import { anyBytes, type Bytes, type CommonOptions, type Method } from './endpoint.js';
import type { Session } from './session.js';
import { fillPath, isRepeatable, type Query, type WireRequest } from './transport.js';

/** Options of any endpoint, once the compiler has checked them. */
export interface AnyOptions extends CommonOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly bytes?: Bytes;
  readonly type?: string;
  readonly idempotencyKey?: string;
}

/** Here a 401 says that what was sent is wrong, not that a token has ended. */
const signInPath = /^\/auth\/(?!logout$)/;

/** What goes over the wire for a call. `timeoutMs` is for those that do not say their own. */
export function toWireRequest(method: Method, path: string, given: AnyOptions, timeoutMs: number): WireRequest {
  const { params, query = {}, body, bytes, type, headers, signal, idempotencyKey } = given;
  const contentType = bytes === undefined ? 'application/json' : (type ?? anyBytes);
  return {
    method,
    path: fillPath(path, params),
    query,
    headers: {
      ...(body === undefined && bytes === undefined ? {} : { 'content-type': contentType }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: bytes ?? (body === undefined ? undefined : JSON.stringify(body)),
    signal,
    // The length of a stream is unknown here: a caller who knows it sets the time.
    timeoutMs: given.timeoutMs ?? (isRepeatable(bytes) ? timeoutMs : null),
  };
}

/**
 * Send until it works or cannot: once again with a new token after a 401, and after the wait a 429 asks for as long as all
 * waits together stay within `waitMs`. A body that can be sent once is sent once.
 */
export async function perform<T>(
  wire: WireRequest,
  session: Session,
  waitMs: number,
  send: (token: string | undefined) => Promise<T>,
): Promise<T> {
  let mayWaitMs = waitMs;
  let mayRenew = !signInPath.test(wire.path);
  const isOnce = !isRepeatable(wire.body);
  if (isOnce && session.isStale) await session.renewAfter(session.token);
  for (;;) {
    const usedToken = session.token;
    try {
      return await send(usedToken);
    } catch (error) {
      if (!(error instanceof ApiError) || isOnce) throw error;
      const pauseMs = error.retryAfterSeconds * 1000;
      if (error.status === 401 && mayRenew && session.canRenew) {
        mayRenew = false;
        await session.renewAfter(usedToken);
      } else if (error.status === 429 && pauseMs > 0 && pauseMs <= mayWaitMs) {
        mayWaitMs -= pauseMs;
        await pause(pauseMs, wire.signal);
      } else throw error;
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
