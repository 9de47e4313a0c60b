import { redisScript, runScript, type ScriptRedis } from '@panel/kit';

/** Something that has room for a limited number of sockets: a server, a user. */
export interface SlotScope {
  readonly name: string;
  readonly limit: number;
}

/** A socket's place in all of `places`, under an id of its own. */
export interface SlotLease {
  readonly id: string;
  readonly scopes: readonly SlotScope[];
}

/**
 * Places for sockets that all gateways share. A lease lasts `leaseMs` unless it is kept up, so that the sockets of a gateway
 * that dies are forgotten. All reject when Redis does not answer.
 */
export interface SlotLeases {
  /** Take all places or none; the index of the first one that is full, or null. */
  take(lease: SlotLease): Promise<number | null>;
  /** Go on holding these, also where Redis has forgotten them. */
  keep(leases: readonly SlotLease[]): Promise<void>;
  release(lease: SlotLease): Promise<void>;
}

export const leaseMs = 30_000;
/** A gateway may miss two. */
export const keepIntervalMs = 10_000;

/** More leases than this in one script would hold up other clients of that Redis. */
const maxBatch = 250;

/*
 * One sorted set per place: its sockets by the time their leases end, on the clock of Redis, which all gateways share.
 * KEYS: the places of one lease after the other. ARGV: see each script.
 */
const takeScript = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
  if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[2 + i]) then return i end
end
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[i], ARGV[2])
end
return 0
`);

const keepScript = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], now + ARGV[1], ARGV[1 + i])
  redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return 0
`);

const releaseScript = redisScript(`
for i = 1, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return 0
`);

export function createSlotLeases(redis: ScriptRedis, prefix: string, ttlMs = leaseMs): SlotLeases {
  const keysOf = ({ scopes }: SlotLease) => scopes.map(({ name }) => `${prefix}:sockets:${name}`);
  return {
    take: async (lease) => {
      const args = [lease.id, `${ttlMs}`, ...lease.scopes.map(({ limit }) => `${limit}`)];
      const full = Number(await runScript(redis, takeScript, keysOf(lease), args));
      return full === 0 ? null : full - 1;
    },
    keep: async (leases) => {
      for (let start = 0; start < leases.length; start += maxBatch) {
        const batch = leases.slice(start, start + maxBatch);
        const ids = batch.flatMap(({ id, scopes }) => scopes.map(() => id));
        await runScript(redis, keepScript, batch.flatMap(keysOf), [`${ttlMs}`, ...ids]);
      }
    },
    release: async (lease) => {
      await runScript(redis, releaseScript, keysOf(lease), [lease.id]);
    },
  };
}
