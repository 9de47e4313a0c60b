import type { ConsoleMessage } from '@panel/client';
import type { Api } from '../net/api.js';
import { ApiError, isRecord } from '../net/errors.js';

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'stopped'; readonly error: unknown; readonly code: number };

interface ConnectionOptions {
  readonly api: Api;
  readonly serverId: string;
  readonly onMessage: (message: ConsoleMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

const longestWaitMs = 15_000;
/** A connection that has lasted this long starts the back-off anew. */
const stableMs = 10_000;
/** Permission removed, server deleted, server suspended: connecting again would not help. */
const finalCodes = new Set([4403, 4404, 4409]);

/**
 * The console socket of a server while it is watched. Connects again by itself and asks for the lines after the last one it
 * has, so that none is missing and none comes twice.
 */
export class ConsoleConnection {
  readonly #options: ConnectionOptions;
  #socket: WebSocket | null = null;
  #lastSeq: number | null = null;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    addEventListener('online', this.#retryNow);
    void this.#connect();
  }

  /** Whether it was sent. */
  send(message: object): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Connect again after it has stopped. */
  restart(): void {
    this.#failures = 0;
    this.#retryNow();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener('online', this.#retryNow);
    this.#socket?.close(1000);
  }

  readonly #retryNow = (): void => {
    const state = this.#socket?.readyState;
    if (state === WebSocket.OPEN || state === WebSocket.CONNECTING) return;
    clearTimeout(this.#timer);
    void this.#connect();
  };

  async #connect(): Promise<void> {
    const { api, serverId, onState } = this.#options;
    onState({ kind: 'connecting' });
    const token = api.session.token ?? (await this.#renew(undefined));
    if (token === undefined || this.#isClosed) return;
    const url = new URL(`/api/v1/servers/${serverId}/ws`, location.href.replace(/^http/, 'ws'));
    if (this.#lastSeq !== null) url.searchParams.set('after', String(this.#lastSeq));
    const socket = new WebSocket(url, ['bearer', token]);
    this.#socket = socket;
    let openedAt: number | null = null;
    socket.addEventListener('open', () => {
      openedAt = performance.now();
      onState({ kind: 'open' });
    });
    socket.addEventListener('message', ({ data }) => this.#receive(data, token));
    socket.addEventListener('close', ({ code }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      if (openedAt !== null && performance.now() - openedAt > stableMs) this.#failures = 0;
      void this.#afterClose(code, token, openedAt !== null);
    });
  }

  #receive(data: unknown, token: string): void {
    const message = parse(data);
    if (!message) return;
    if (message.type === 'console_output' && message.seq !== null) this.#lastSeq = message.seq;
    if (message.type === 'token_expiring')
      void this.#renew(token).then((next) => next && this.send({ type: 'auth', token: next }));
    this.#options.onMessage(message);
  }

  /** A new token, or undefined after saying why there is none. */
  async #renew(used: string | undefined): Promise<string | undefined> {
    try {
      return await this.#options.api.session.renew(used);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500)
        this.#options.onState({ kind: 'stopped', error, code: 4401 });
      else this.#retryLater();
      return undefined;
    }
  }

  async #afterClose(code: number, token: string, wasOpen: boolean): Promise<void> {
    if (finalCodes.has(code)) {
      this.#options.onState({ kind: 'stopped', error: null, code });
      return;
    }
    if (code === 4401 && (await this.#renew(token)) === undefined) return;
    // Why an upgrade is refused is not shown to scripts: the server itself is asked.
    if (!wasOpen && navigator.onLine && !(await this.#isAllowed())) return;
    this.#retryLater();
  }

  async #isAllowed(): Promise<boolean> {
    const { api, serverId, onState } = this.#options;
    try {
      await api.call(async (client) => client.get('/servers/{id}', { params: { id: serverId } }));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) return true;
      onState({ kind: 'stopped', error, code: 1006 });
      return false;
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const waitMs = Math.min(longestWaitMs, 500 * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#options.onState({ kind: 'waiting', until: Date.now() + waitMs });
    this.#timer = setTimeout(() => void this.#connect(), waitMs);
  }
}

function parse(data: unknown): ConsoleMessage | null {
  const message: unknown = typeof data === 'string' ? JSON.parse(data) : null;
  return isRecord(message) && typeof message.type === 'string' ? (message as unknown as ConsoleMessage) : null;
}
