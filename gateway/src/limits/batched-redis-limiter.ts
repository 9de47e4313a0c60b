import type { Redis } from 'ioredis';
import { RateLimiterRedis, type IRateLimiterRedisOptions } from 'rate-limiter-flexible';
import { redisScript, runScript } from '@panel/kit';
import { createTurnBatch } from './turn-batch.js';

interface Increment {
  readonly key: string;
  readonly points: number;
  readonly seconds: number;
}

/** Consumed points and remaining milliseconds of a window: what RateLimiterRedis makes its result of. */
type Window = readonly [consumed: number, ttlMs: number];

/** The script of RateLimiterRedis over many keys. ARGV: points and seconds of each. */
const incrementScript = redisScript(`
local result = {}
for i = 1, #KEYS do
  local points, seconds = ARGV[2 * i - 1], ARGV[2 * i]
  redis.call('set', KEYS[i], 0, 'EX', seconds, 'NX')
  result[2 * i - 1] = redis.call('incrby', KEYS[i], points)
  local ttl = redis.call('pttl', KEYS[i])
  if ttl == -1 then
    redis.call('expire', KEYS[i], seconds)
    ttl = 1000 * seconds
  end
  result[2 * i] = ttl
end
return result
`);

/**
 * RateLimiterRedis with one command per turn of the event loop instead of one per request. A command of ioredis costs a
 * gateway 5 to 10 µs of CPU time, which is a tenth of a request. `_upsert` is the extension point of the library's store
 * limiters; only its counting form is overridden (`consume`, `penalty`, `reward`).
 */
export class BatchedRedisLimiter extends RateLimiterRedis {
  readonly #increment: (increment: Increment) => Promise<Window>;
  readonly #redis: Redis;

  constructor(options: IRateLimiterRedisOptions & { readonly storeClient: Redis }) {
    super(options);
    this.#redis = options.storeClient;
    this.#increment = createTurnBatch(async (increments) => this.#incrementAll(increments));
  }

  async _upsert(key: string, points: number, durationMs: number): Promise<Window> {
    if (this.#redis.status !== 'ready') throw new Error('the connection to Redis is not ready');
    return this.#increment({ key, points, seconds: Math.floor(durationMs / 1000) });
  }

  async #incrementAll(increments: readonly Increment[]): Promise<Window[]> {
    const keys = increments.map(({ key }) => key);
    const args = increments.flatMap(({ points, seconds }) => [`${points}`, `${seconds}`]);
    const reply = await runScript(this.#redis, incrementScript, keys, args);
    if (!Array.isArray(reply)) throw new TypeError('the increment script did not return a list');
    return increments.map((_, index) => [Number(reply[2 * index]), Number(reply[2 * index + 1])]);
  }
}
