import { ApiError } from './api-error.js';
import type { TokenSet } from './generated/api.js';

/** Tokens of a sign-in, held in memory only. */
export class Session {
  #token: string | undefined;
  #refreshToken: string | undefined;
  #renewing: Promise<TokenSet> | undefined;
  #staleAt = Infinity;
  readonly #exchange: (refreshToken: string) => Promise<TokenSet>;

  /** `exchange` turns a refresh token into a new set of tokens. `token` is what to begin with. */
  constructor(exchange: (refreshToken: string) => Promise<TokenSet>, token?: string) {
    this.#exchange = exchange;
    this.#token = token;
  }

  get token(): string | undefined {
    return this.#token;
  }

  get canRenew(): boolean {
    return this.#refreshToken !== undefined;
  }

  /** Whether the access token is about to end, by our own clock. */
  get isStale(): boolean {
    return this.canRenew && performance.now() > this.#staleAt;
  }

  keep(tokens: TokenSet): TokenSet {
    this.#token = tokens.access_token;
    this.#refreshToken = tokens.refresh_token;
    this.#staleAt = performance.now() + tokens.expires_in * 900;
    return tokens;
  }

  forget(): void {
    this.#token = undefined;
    this.#refreshToken = undefined;
    this.#staleAt = Infinity;
  }

  /** New tokens. One exchange at a time: the second of two would present a token that has been used. */
  async renew(): Promise<TokenSet> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** The same, unless another call has renewed since `usedToken` was the token. */
  async renewAfter(usedToken: string | undefined): Promise<void> {
    if (this.#token === usedToken) await this.renew();
  }

  async #renewOnce(): Promise<TokenSet> {
    const used = this.#refreshToken;
    if (used === undefined) throw new Error('not signed in: there is no refresh token');
    try {
      return this.keep(await this.#exchange(used));
    } catch (error) {
      // The session has ended: asking again would not change that.
      if (error instanceof ApiError && error.status === 401 && this.#refreshToken === used)
        this.#refreshToken = undefined;
      throw error;
    }
  }
}
