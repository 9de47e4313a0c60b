import type { ConsoleMessage } from '@panel/client';
import type { Api } from '../../api/api.js';
import { ApiError, isRecord } from '../../api/errors.js';
import type { Network, Socket } from './network.js';

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** `refusal`: for the time being, as when too many consoles are open. */
  | { readonly kind: 'waiting'; readonly until: number; readonly refusal?: ApiError }
  | { readonly kind: 'stopped'; readonly error: unknown; readonly code: number };

export type ConsoleApi = Pick<Api, 'call'> & { readonly session: Pick<Api['session'], 'token' | 'renew'> };
type ConnectionApi = Pick<ConsoleApi, 'session'>;

interface ConnectionOptions {
  readonly api: ConnectionApi;
  readonly serverId: string;
  readonly onMessage: (message: ConsoleMessage) => void;
  readonly onState: (state: ConnectionState) => void;
  readonly network: Network;
}

const longestWaitMs = 15_000;
/** Connected this long, the back-off resets. */
const stableMs = 10_000;
/** Permission removed, server deleted, server suspended: a retry is useless. */
const finalCodes = new Set([4403, 4404, 4409]);

/** Reconnects after the last line, without loss or repetition: a new attempt ends the one before. */
export class ConsoleConnection {
  readonly #options: ConnectionOptions;
  readonly #network: Network;
  readonly #stopListening: () => void;
  #attempt = 0;
  #phase: 'idle' | 'connecting' | 'open' = 'idle';
  #socket: Socket | null = null;
  #lastSeq: number | null = null;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#network = options.network;
    this.#stopListening = this.#network.onOnline(() => this.#retryNow());
    void this.#connect();
  }

  send(message: object): boolean {
    if (this.#phase !== 'open' || !this.#socket) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  restart(): void {
    this.#failures = 0;
    this.#retryNow();
  }

  close(): void {
    this.#endAttempt();
    this.#stopListening();
  }

  #retryNow(): void {
    if (this.#phase === 'idle') void this.#connect();
  }

  #endAttempt(): void {
    this.#attempt += 1;
    this.#phase = 'idle';
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  async #connect(): Promise<void> {
    const { api, serverId, onState } = this.#options;
    this.#endAttempt();
    const attempt = this.#attempt;
    this.#phase = 'connecting';
    onState({ kind: 'connecting' });
    const token = api.session.token ?? (await this.#renew(undefined, attempt));
    if (token === undefined || attempt !== this.#attempt) return;
    const after = this.#lastSeq === null ? '' : `?after=${this.#lastSeq}`;
    let openedAt: number | null = null;
    this.#socket = this.#network.open(`/api/v1/servers/${serverId}/ws${after}`, ['bearer', token], {
      onOpen: () => {
        if (attempt !== this.#attempt) return;
        openedAt = performance.now();
        this.#phase = 'open';
        onState({ kind: 'open' });
      },
      onMessages: (messages) => {
        for (const message of messages) if (attempt === this.#attempt) this.#receive(message, token);
      },
      onClose: (code) => {
        if (attempt !== this.#attempt) return;
        this.#phase = 'idle';
        this.#socket = null;
        if (openedAt !== null && performance.now() - openedAt > stableMs) this.#failures = 0;
        void this.#afterClose(code, { token, wasOpen: openedAt !== null, attempt });
      },
    });
  }

  #receive(message: unknown, token: string): void {
    if (!isMessage(message)) return;
    if (message.type === 'console_output' && message.seq !== null) this.#lastSeq = message.seq;
    if (message.type === 'token_expiring')
      void this.#renew(token, this.#attempt).then((next) => next && this.send({ type: 'auth', token: next }));
    this.#options.onMessage(message);
  }

  /** A new token; undefined after reporting the reason. */
  async #renew(used: string | undefined, attempt: number): Promise<string | undefined> {
    try {
      return await this.#options.api.session.renew(used);
    } catch (error) {
      if (attempt !== this.#attempt) return undefined;
      if (error instanceof ApiError && error.status < 500) this.#stopTrying(error, 4401);
      else if (this.#phase !== 'open') this.#retryLater();
      return undefined;
    }
  }

  async #afterClose(
    code: number,
    { token, wasOpen, attempt }: { readonly token: string; readonly wasOpen: boolean; readonly attempt: number },
  ): Promise<void> {
    if (finalCodes.has(code)) return this.#stopTrying(null, code);
    if (code === 4401 && (await this.#renew(token, attempt)) === undefined) return;
    // Scripts cannot read the reason of a refused upgrade.
    const mayAsk = !wasOpen && this.#network.isOnline();
    const refusal = mayAsk
      ? await this.#network.refusalOf(`/api/v1/servers/${this.#options.serverId}/ws`, token)
      : null;
    // A new attempt may have begun meanwhile.
    if (attempt !== this.#attempt) return;
    if (refusal === null || refusal.status === 429) this.#retryLater(refusal);
    else if (refusal.status !== 401) this.#stopTrying(refusal, 1006);
    else if ((await this.#renew(token, attempt)) !== undefined && attempt === this.#attempt) this.#retryLater();
  }

  #stopTrying(error: ApiError | null, code: number): void {
    if (this.#phase !== 'open') this.#phase = 'idle';
    this.#options.onState({ kind: 'stopped', error, code });
  }

  #retryLater(refusal: ApiError | null = null): void {
    this.#phase = 'idle';
    const waitMs = Math.min(longestWaitMs, 500 * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#options.onState({ kind: 'waiting', until: Date.now() + waitMs, ...(refusal && { refusal }) });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), waitMs);
  }
}

function isMessage(message: unknown): message is ConsoleMessage {
  return isRecord(message) && typeof message.type === 'string';
}
