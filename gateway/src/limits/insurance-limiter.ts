import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/**
 * The `insuranceLimiter` of the shared limiter: counts in this process while Redis is unavailable. The library does not
 * say which limiter a result came from, so this one remembers its own results.
 */
export class InsuranceLimiter extends RateLimiterMemory {
  readonly #results = new WeakSet<RateLimiterRes>();

  override async penalty(key: string, points?: number): Promise<RateLimiterRes> {
    return this.#remember(await super.penalty(key, points));
  }

  override async get(key: string): Promise<RateLimiterRes | null> {
    const result = await super.get(key);
    return result && this.#remember(result);
  }

  /** Whether `result` was counted in this process. */
  hasIssued(result: RateLimiterRes | null): boolean {
    return result !== null && this.#results.has(result);
  }

  #remember(result: RateLimiterRes): RateLimiterRes {
    this.#results.add(result);
    return result;
  }
}
