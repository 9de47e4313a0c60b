import { type Announcement, hintKey, post, sessionName, type Tokens, tokensOf } from './browser-endpoints.js';
import { ApiError } from './errors.js';

/** `unknown` until the panel has answered. `ended`: by the panel, while the user was here. */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'ended';

/** Result of the password step. */
type SignInResult = { readonly kind: 'done' } | { readonly kind: 'second-factor'; readonly token: string };

export type SecondFactor = { readonly code: string } | { readonly recovery_code: string };

/** The first retry of the sign-in check; doubles up to the maximum. */
const retryMs = 1_000;
const maxRetryMs = 10_000;
/** A tab silent this long after its lock has renewed nothing. */
const announcementMs = 300;
/**
 * The refresh token is in a cookie unreadable to scripts, the access token in memory. Tabs share renewals: the first
 * announces its result.
 */
export class BrowserSession {
  #tokens: Tokens | null = null;
  #state: SessionState = 'unknown';
  #problem: unknown = null;
  #signOuts = 0;
  #userId: string | null = null;
  #refusal: unknown = null;
  #retry: () => void = () => undefined;
  readonly #listeners = new Set<() => void>();
  readonly #channel = new BroadcastChannel(sessionName);

  constructor() {
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Announcement>) => {
      if (data.type === 'token') this.#keep(data.tokens);
      else this.#forget();
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Why the sign-in is still unknown; null without an error. */
  get problem(): unknown {
    return this.#problem;
  }

  /** A user's request must not run as the next user. */
  get signOuts(): number {
    return this.#signOuts;
  }

  /** Of the latest sign-in. */
  get userId(): string | null {
    return this.#userId;
  }

  get token(): string | undefined {
    return this.#tokens?.token;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Once. Returns its removal. */
  onSignOut(listener: () => void): () => void {
    const stop = this.subscribe(() => {
      if (this.#state !== 'signed-out') return;
      stop();
      listener();
    });
    return stop;
  }

  /** Retries while the panel does not answer. `first`: an earlier renewal, null without one. */
  async restore(first: Promise<Tokens | null> = Promise.resolve(null)): Promise<void> {
    if (localStorage.getItem(hintKey) === null) {
      this.#forget();
      return;
    }
    let begun: Promise<Tokens | null> | null = first;
    for (let pauseMs = retryMs; this.#state === 'unknown'; pauseMs = Math.min(pauseMs * 2, maxRetryMs)) {
      try {
        const tokens = await begun;
        if (tokens) this.#keep(tokens);
        else await this.renew(undefined);
      } catch (error) {
        begun = null;
        this.#forgetIfRefused(error);
        // the panel answered signed out, or another tab decided
        if (this.state !== 'unknown') return;
        this.#problem = error;
        this.#notify();
        await this.#untilRetry(pauseMs);
      }
    }
  }

  retry = (): void => this.#retry();

  async #untilRetry(pauseMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener('online', done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      addEventListener('online', done);
      this.#retry = done;
    });
  }

  async signIn(email: string, password: string): Promise<SignInResult> {
    const data = await post('login', { email, password });
    if (data.requires_2fa === true) return { kind: 'second-factor', token: String(data.token) };
    this.#adopt(data);
    return { kind: 'done' };
  }

  async verify(token: string, factor: SecondFactor): Promise<void> {
    this.#adopt(await post('2fa', { token, ...factor }));
  }

  /**
   * A token that is not `used`. When the panel has ended the sign-in, waits until the same user is back, so that what
   * was typed is sent then. Throws ApiError 401 when another one comes, or none.
   */
  async renew(used: string | undefined): Promise<string> {
    if (this.#state !== 'ended') {
      try {
        return await this.#renewInTurn(used);
      } catch (error) {
        if (this.state !== 'ended') throw error;
      }
    }
    return this.#untilBack();
  }

  async #untilBack(): Promise<string> {
    const { signOuts } = this;
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#state === 'ended') return;
        stop();
        resolve();
      });
    });
    if (this.#tokens === null || this.#signOuts !== signOuts) throw this.#refusal;
    return this.#tokens.token;
  }

  async #renewInTurn(used: string | undefined): Promise<string> {
    const renewed = await navigator.locks.request(sessionName, { ifAvailable: true }, async (lock) =>
      lock === null ? null : this.#renewNow(used),
    );
    if (renewed !== null) return renewed;
    return navigator.locks.request(sessionName, async () => {
      await this.#untilAnnounced(used);
      return this.#renewNow(used);
    });
  }

  async #renewNow(used: string | undefined): Promise<string> {
    const current = this.#tokens;
    if (current && current.token !== used && current.expiresAt > Date.now() + 5_000) return current.token;
    try {
      return this.#adopt(await post('refresh', {}));
    } catch (error) {
      this.#forgetIfRefused(error);
      throw error;
    }
  }

  #forgetIfRefused(error: unknown): void {
    if (!(error instanceof ApiError && [401, 403, 404].includes(error.status))) return;
    this.#refusal = error;
    if (this.#state === 'signed-in') this.#end();
    else if (this.#state !== 'ended') this.#forget();
  }

  /** The page stays, for the user to come back to. */
  #end(): void {
    localStorage.removeItem(hintKey);
    this.#tokens = null;
    this.#set('ended');
  }

  /** The lock holder's announcement may arrive after the lock. */
  async #untilAnnounced(used: string | undefined): Promise<void> {
    if (this.#tokens && this.#tokens.token !== used) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#channel.removeEventListener('message', done);
        resolve();
      };
      const timer = setTimeout(done, announcementMs);
      this.#channel.addEventListener('message', done);
    });
  }

  async signOut(): Promise<void> {
    try {
      await post('logout', {}, this.token);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    this.#announce({ type: 'signed-out' });
    this.leave();
  }

  /** Gives an ended sign-in up. */
  leave(): void {
    clearStorage();
    this.#forget();
  }

  #announce(announcement: Announcement): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only
    this.#channel.postMessage(announcement);
  }

  #adopt(data: Record<string, unknown>): string {
    const tokens = tokensOf(data);
    this.#announce({ type: 'token', tokens });
    this.#keep(tokens);
    return tokens.token;
  }

  #keep(tokens: Tokens): void {
    const userId = userOf(tokens.token);
    // What another user left open is not theirs.
    if (this.#state === 'ended' && (userId === null || userId !== this.#userId)) this.leave();
    this.#userId = userId;
    localStorage.setItem(hintKey, '1');
    this.#tokens = tokens;
    this.#set('signed-in');
  }

  #forget(): void {
    localStorage.removeItem(hintKey);
    this.#tokens = null;
    this.#signOuts += 1;
    this.#set('signed-out');
  }

  #set(state: SessionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#problem = null;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Command histories, drafts, unfinished uploads. */
function clearStorage(): void {
  const names = Object.keys(localStorage).filter((name) => /^panel-(history|draft|upload)-/.test(name));
  for (const name of names) localStorage.removeItem(name);
}

/** Null when it is no token of this panel. */
function userOf(token: string): string | null {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(payload)) as { readonly sub?: string }).sub ?? null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException) return null;
    throw error;
  }
}
