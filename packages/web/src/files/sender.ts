import { ApiError, withRequestSize } from '../api/errors.js';
import type { BrowserSession } from '../api/session.js';

export interface Sending {
  readonly method: 'PUT' | 'POST' | 'PATCH' | 'HEAD' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly onProgress?: (sent: number) => void;
}

export interface Answer {
  readonly body: unknown;
  readonly header: (name: string) => string | null;
}

/** Reports upload progress, which fetch lacks. `abort` ends all requests. */
export class Sender {
  readonly #session: BrowserSession;
  readonly #aborted = new AbortController();

  constructor(session: BrowserSession) {
    this.#session = session;
  }

  abort(): void {
    this.#aborted.abort();
  }

  async wait(milliseconds: number): Promise<void> {
    await this.#unlessAborted((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      return () => clearTimeout(timer);
    });
  }

  async whenOnline(): Promise<void> {
    if (navigator.onLine) return;
    await this.#unlessAborted((resolve) => {
      addEventListener('online', resolve);
      return () => removeEventListener('online', resolve);
    });
  }

  async #unlessAborted(begin: (resolve: () => void) => () => void): Promise<void> {
    const { signal } = this.#aborted;
    let reject = (): void => undefined;
    let stop = (): void => undefined;
    try {
      await new Promise<void>((resolve, refuse) => {
        reject = () => refuse(aborted());
        signal.addEventListener('abort', reject);
        stop = begin(resolve);
      });
    } finally {
      signal.removeEventListener('abort', reject);
      stop();
    }
  }

  /** Throws ApiError for a refusal, TypeError without an answer, and AbortError. */
  async send(sending: Sending, mayRenew = true): Promise<Answer> {
    const token = this.#session.token;
    const request = await this.#perform(sending, token);
    if (request.status === 401 && mayRenew && isOwn(sending.url)) {
      await this.#session.renew(token);
      return this.send(sending, false);
    }
    if (request.status >= 300) throw withRequestSize(errorOf(request), sending.body?.size ?? 0);
    return { body: parse(request.responseText), header: (name) => request.getResponseHeader(name) };
  }

  async #perform(sending: Sending, token: string | undefined): Promise<XMLHttpRequest> {
    const { method, url, headers, body, onProgress } = sending;
    const { signal } = this.#aborted;
    if (signal.aborted) throw aborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // The token stays with the panel: a node needs only the upload's address.
    if (isOwn(url)) request.setRequestHeader('authorization', `Bearer ${token}`);
    if (onProgress) request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort);
    try {
      await new Promise<void>((resolve, reject) => {
        request.addEventListener('load', () => resolve());
        request.addEventListener('error', () => reject(new TypeError('the upload got no answer')));
        request.addEventListener('abort', () => reject(aborted()));
        request.send(body ?? null);
      });
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return request;
  }
}

const aborted = (): DOMException => new DOMException('aborted', 'AbortError');

function isOwn(url: string): boolean {
  return new URL(url, location.origin).origin === location.origin;
}

function errorOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of ['x-request-id', 'retry-after']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return ApiError.from(new Response(null, { status: request.status, headers }), parse(request.responseText));
}

function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    // A proxy may answer without JSON.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
