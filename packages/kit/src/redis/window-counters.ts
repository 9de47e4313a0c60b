import { redisKeyPrefix, redisScript, runScript, type ScriptRedis } from './run-script.js';

/*
 * Counters of fixed windows of a minute in Redis. Whoever counts against the same limit, in whatever process, uses the same
 * name here, and so the same counter: requests, sockets and schedules share the limits of a server.
 */

export const windowMs = 60_000;

/** Limits that hold for one server, however many people and processes use it. */
export type ServerRateClass = 'console' | 'upload' | 'backup';

/** The name of the counter of a server, as every process has to spell it. */
export function serverCounterName(rateClass: ServerRateClass, serverId: string): string {
  return `${rateClass}:server:${serverId}`;
}

/** Where a counter is in Redis: a number that expires with its window. */
export function windowKey(name: string, prefix: string = redisKeyPrefix): string {
  return `${prefix}:rate:${name}`;
}

/** One thing to count. `cost` 0 only looks. */
export interface WindowCount {
  readonly name: string;
  readonly cost: 0 | 1;
}

export interface WindowState {
  /** Counted in this window so far, this one included. Above the limit means: refuse. */
  readonly used: number;
  /** Unix time in milliseconds at which the window starts again. */
  readonly resetsAt: number;
}

/**
 * For scripts that count and do more in the same step: `countWindows(n, window, before)` counts the first n KEYS by the
 * costs in ARGV after the first `before`, and returns, flat, count and remaining ms of each. A counter without expiry cannot
 * come from it; if there is one, it gets an expiry rather than locking somebody out for ever.
 */
export const countWindowsLua = `
local function countWindows(n, window, before)
  local out = {}
  for i = 1, n do
    local count
    if ARGV[before + i] == '1' then count = redis.call('INCR', KEYS[i]) else count = tonumber(redis.call('GET', KEYS[i]) or '0') end
    local ttl = redis.call('PTTL', KEYS[i])
    if ttl == -1 then redis.call('PEXPIRE', KEYS[i], window) end
    if ttl < 0 then ttl = window end
    out[2 * i - 1] = count
    out[2 * i] = ttl
  end
  return out
end
`;

const script = redisScript(`${countWindowsLua} return countWindows(#KEYS, tonumber(ARGV[1]), 1)`);

/**
 * Count all of `counts` in one atomic step: `const [{ used }] = await countInWindows(redis, [{ name:
 * serverCounterName('console', id), cost: 1 }])`. Rejects when Redis does not answer; do not repeat it then, that could
 * count twice.
 */
export async function countInWindows(
  redis: ScriptRedis,
  counts: readonly WindowCount[],
  prefix: string = redisKeyPrefix,
): Promise<WindowState[]> {
  const keys = counts.map(({ name }) => windowKey(name, prefix));
  const reply = await runScript(redis, script, keys, [`${windowMs}`, ...counts.map(({ cost }) => `${cost}`)]);
  return readWindows(reply, counts.length);
}

/** The states in the answer of a script that began with `countWindows`. */
export function readWindows(reply: unknown, count: number): WindowState[] {
  if (!Array.isArray(reply)) throw new TypeError('the count script answered something else than a list');
  const now = Date.now();
  return Array.from({ length: count }, (_, at) => ({
    used: Number(reply[2 * at]),
    resetsAt: now + Number(reply[2 * at + 1]),
  }));
}
