import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Counts locally while Redis is unavailable (`insuranceLimiter`). Marks its results, as the library does not. */
export class InsuranceLimiter extends RateLimiterMemory {
  readonly #results = new WeakSet<RateLimiterRes>();

  override async penalty(key: string, points?: number): Promise<RateLimiterRes> {
    return this.#remember(await super.penalty(key, points));
  }

  override async get(key: string): Promise<RateLimiterRes | null> {
    const result = await super.get(key);
    return result && this.#remember(result);
  }

  /** True: counted locally. */
  hasIssued(result: RateLimiterRes | null): boolean {
    return result !== null && this.#results.has(result);
  }

  #remember(result: RateLimiterRes): RateLimiterRes {
    this.#results.add(result);
    return result;
  }
}
