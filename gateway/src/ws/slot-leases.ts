import { redisScript, runScript, type ScriptRedis } from '@panel/kit/redis';

/** A limit on open sockets: of a server or of a user. */
interface SlotScope {
  readonly name: string;
  readonly limit: number;
}

/** One socket, counted in all of `scopes`. */
export interface SlotLease {
  readonly id: string;
  readonly scopes: readonly SlotScope[];
}

/**
 * Socket slots shared by all gateways. A lease lasts `leaseMs` unless it is renewed, so that the sockets of a dead gateway
 * are released. All methods reject when Redis does not respond.
 */
export interface SlotLeases {
  /** Take a slot in all scopes or in none. Returns the index of the first full scope, or null. */
  take(lease: SlotLease): Promise<number | null>;
  /** Renew leases, also those that Redis has lost. */
  keep(leases: readonly SlotLease[]): Promise<void>;
  release(lease: SlotLease): Promise<void>;
}

/** The slots of a gateway that died block reconnecting users for this long. */
export const leaseMs = 4_500;
/** A gateway may miss two renewals; the third takes its slots again. */
export const keepIntervalMs = 1_500;

/** More leases than this in one script would delay other clients of the same Redis. */
const maxBatch = 250;

/*
 * One sorted set per scope: lease ids by the time at which they expire, on the clock of Redis, which all gateways share.
 * KEYS: the scopes of one lease after the other. ARGV: see each script.
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
