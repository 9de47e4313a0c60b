import type { Redis } from 'ioredis';
import { RateLimiterRedis, type IRateLimiterRedisOptions } from 'rate-limiter-flexible';
import type { RedisTurn, Window } from './redis-turn.js';

/**
 * One command per event loop turn. `_upsert` is the library's extension point; only its counting form is overridden
 * (`consume`, `penalty`, `reward`).
 */
export class BatchedRedisLimiter extends RateLimiterRedis {
  readonly #redis: Redis;
  readonly #turn: RedisTurn;

  constructor(options: IRateLimiterRedisOptions & { readonly storeClient: Redis; readonly turn: RedisTurn }) {
    super(options);
    this.#redis = options.storeClient;
    this.#turn = options.turn;
  }

  async _upsert(key: string, points: number, durationMs: number): Promise<Window> {
    if (this.#redis.status !== 'ready') throw new Error('the connection to Redis is not ready');
    return this.#turn.increment({ key, points, seconds: Math.floor(durationMs / 1000) });
  }
}
