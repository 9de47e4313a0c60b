import { createInstanceMarker, epochKey, instanceKey } from './auth-epochs.js';
import { type Count, type Counters, type CountResult, createMemoryCounters } from './counters.js';
import { redisScript, runScript } from '@panel/kit/redis';
import type { Redis } from 'ioredis';
import { windowMs } from './rules.js';

/** After a failure on an open connection: a hanging Redis delays few requests. */
const pauseMs = 1_000;

interface RedisCountersOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Grantable fraction while Redis is unavailable. */
  readonly insuranceShare: number;
  /** Once per pause, also while there is no connection. */
  readonly onFailure: () => void;
  /** Monotonic milliseconds. */
  readonly monotonicMs?: () => number;
}

interface RedisCounters extends Counters {
  /** Asks Redis, also in a pause after a failure. False: counts are local. */
  ping(): Promise<boolean>;
}

/** Without Redis: local counts, a fraction of the limits, no epochs. */
export function createRedisCounters(options: RedisCountersOptions): RedisCounters {
  const { redis, prefix, insuranceShare, onFailure, monotonicMs = () => performance.now() } = options;
  const askRedis = createRedisTurn(redis, prefix);
  const createInstance = createInstanceMarker(redis, prefix);
  const insurance = createMemoryCounters(insuranceShare);
  let pausedUntil = -Infinity;
  let notedUntil = -Infinity;
  const noteFailure = () => {
    if (monotonicMs() < notedUntil) return;
    notedUntil = monotonicMs() + pauseMs;
    onFailure();
  };
  const isAvailable = () => redis.status === 'ready' && monotonicMs() >= pausedUntil;
  return {
    ping: async () => {
      if (redis.status !== 'ready') return false;
      return redis.ping().then(
        () => true,
        () => false,
      );
    },
    count: async (counts, userId) => {
      if (redis.status !== 'ready') noteFailure();
      if (!isAvailable()) return insurance.count(counts, userId);
      try {
        const { results, instance, all, user } = await askRedis({ counts, userId });
        return { counts: results, epochs: { instance: instance ?? (await createInstance()), all, user }, share: 1 };
      } catch {
        if (monotonicMs() >= pausedUntil) pausedUntil = monotonicMs() + pauseMs;
        noteFailure();
        return insurance.count(counts, userId);
      }
    },
  };
}

/** Of one request. */
interface Question {
  readonly counts: readonly Count[];
  /** Null: epochs of all users only. */
  readonly userId: string | null;
}

interface Reply {
  /** In the order of `counts`. */
  readonly results: readonly CountResult[];
  /** Null: no marker in Redis. */
  readonly instance: string | null;
  /** Empty: no epoch. */
  readonly all: string;
  readonly user: string;
}

/**
 * RateLimiterRedis's script over many counters, then reads. ARGV: seconds of a window; the cost of each counter, a
 * digit each.
 */
const script = redisScript(`
local seconds, costs = ARGV[1], ARGV[2]
local result = {}
for i = 1, #costs do
  local used, ttl
  if costs:sub(i, i) == '0' then
    used = redis.call('get', KEYS[i])
    ttl = used and redis.call('pttl', KEYS[i]) or 1000 * seconds
  else
    redis.call('set', KEYS[i], 0, 'EX', seconds, 'NX')
    used = redis.call('incrby', KEYS[i], costs:sub(i, i))
    ttl = redis.call('pttl', KEYS[i])
    if ttl == -1 then
      redis.call('expire', KEYS[i], seconds)
      ttl = 1000 * seconds
    end
  end
  result[2 * i - 1] = used or 0
  result[2 * i] = ttl
end
for i = #costs + 1, #KEYS do result[#costs + i] = redis.call('get', KEYS[i]) end
return result
`);

const windowSeconds = `${windowMs / 1000}`;

/** One command per event loop turn: it costs 5 to 10 µs of CPU. Rejects when Redis does not respond. */
function createRedisTurn(redis: Redis, prefix: string): (question: Question) => Promise<Reply> {
  const ofAll = [instanceKey(prefix), epochKey(prefix, 'all')];
  return createTurnBatch(async (questions) => {
    const counts = questions.flatMap((question) => question.counts);
    const userIds = [...new Set(questions.flatMap(({ userId }) => userId ?? []))];
    const keys = [
      ...counts.map(({ key }) => `${prefix}:rate:${key}`),
      ...ofAll,
      ...userIds.map((userId) => epochKey(prefix, userId)),
    ];
    const costs = counts.map(({ cost }) => cost).join('');
    const reply = await runScript(redis, script, keys, [windowSeconds, costs]);
    if (!Array.isArray(reply)) throw new TypeError('the script of the limits did not return a list');
    return repliesOf(questions, counts.length, userIds, reply);
  });
}

function repliesOf(
  questions: readonly Question[],
  countTotal: number,
  userIds: readonly string[],
  reply: readonly unknown[],
): Reply[] {
  const now = Date.now();
  const [instance = null, all = null, ...epochs] = reply.slice(2 * countTotal) as readonly (string | null)[];
  const epochOf = new Map(userIds.map((userId, index) => [userId, epochs[index]]));
  let at = 0;
  return questions.map(({ counts, userId }) => {
    const results = counts.map(() => ({
      used: Number(reply[at++]),
      resetsAt: now + Math.max(0, Number(reply[at++])),
    }));
    return { results, instance, all: all ?? '', user: epochOf.get(userId ?? '') ?? '' };
  });
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
