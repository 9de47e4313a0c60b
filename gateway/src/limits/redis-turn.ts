import { redisScript, runScript } from '@panel/kit/redis';
import type { Redis } from 'ioredis';

interface Increment {
  readonly key: string;
  readonly points: number;
  readonly seconds: number;
}

/** Input of RateLimiterRedis's result. */
export type Window = readonly [consumed: number, ttlMs: number];

/** One command per event loop turn. Rejects when Redis does not respond. */
export interface RedisTurn {
  increment(increment: Increment): Promise<Window>;
  /** Null: no such key. */
  read(keys: readonly string[]): Promise<readonly (string | null)[]>;
}

/**
 * RateLimiterRedis's script over many keys, then reads. ARGV: number of incremented keys, points and seconds of each.
 */
const script = redisScript(`
local result = {}
local increments = tonumber(ARGV[1])
for i = 1, increments do
  local points, seconds = ARGV[2 * i], ARGV[2 * i + 1]
  redis.call('set', KEYS[i], 0, 'EX', seconds, 'NX')
  result[2 * i - 1] = redis.call('incrby', KEYS[i], points)
  local ttl = redis.call('pttl', KEYS[i])
  if ttl == -1 then
    redis.call('expire', KEYS[i], seconds)
    ttl = 1000 * seconds
  end
  result[2 * i] = ttl
end
for i = increments + 1, #KEYS do result[increments + i] = redis.call('get', KEYS[i]) end
return result
`);

type Ask = { readonly increment: Increment } | { readonly read: readonly string[] };

/** An ioredis command costs 5 to 10 µs of CPU, a tenth of a request. */
export function createRedisTurn(redis: Redis): RedisTurn {
  const ask = createTurnBatch<Ask, readonly unknown[]>(async (asks) => {
    const increments = asks.flatMap((one) => ('increment' in one ? [one.increment] : []));
    const read = [...new Set(asks.flatMap((one) => ('read' in one ? one.read : [])))];
    const keys = [...increments.map(({ key }) => key), ...read];
    const args = [increments.length, ...increments.flatMap(({ points, seconds }) => [points, seconds])].map(String);
    const reply = await runScript(redis, script, keys, args);
    if (!Array.isArray(reply)) throw new TypeError('the script of the limits did not return a list');
    const values = new Map(read.map((key, index) => [key, reply[2 * increments.length + index] ?? null]));
    let incremented = 0;
    return asks.map((one) => {
      if ('read' in one) return one.read.map((key) => values.get(key));
      const at = 2 * incremented++;
      return [Number(reply[at]), Number(reply[at + 1])];
    });
  });
  return {
    increment: async (increment) => (await ask({ increment })) as unknown as Window,
    read: async (keys) => (await ask({ read: keys })) as readonly (string | null)[],
  };
}

interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Longer commands delay other Redis clients. */
const maxBatch = 500;

/** One call of `run` per event loop turn, results in order. A rejection rejects all items. */
function createTurnBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let pending: Pending<Item, Result>[] = [];
  const runBatch = async (batch: readonly Pending<Item, Result>[]) => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const flush = () => {
    const items = pending;
    pending = [];
    for (let start = 0; start < items.length; start += maxBatch) void runBatch(items.slice(start, start + maxBatch));
  };
  return async (item) =>
    new Promise((resolve, reject) => {
      if (pending.push({ item, resolve, reject }) === 1) setImmediate(flush);
    });
}
