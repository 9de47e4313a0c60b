import { redisScript, runScript, type ScriptRedis } from '@panel/kit/redis';

/** Limit per server or user. */
interface SlotScope {
  readonly name: string;
  readonly limit: number;
}

/** Counted in all `scopes`. */
export interface SlotLease {
  readonly id: string;
  readonly scopes: readonly SlotScope[];
}

/** Leases last `leaseMs` unless renewed: those of dead gateways expire. Methods reject when Redis does not respond. */
export interface SlotLeases {
  /** All scopes or none. Returns the index of the first full scope, or null. */
  take(lease: SlotLease): Promise<number | null>;
  /** Also restores leases lost by Redis. */
  keep(leases: readonly SlotLease[]): Promise<void>;
  release(lease: SlotLease): Promise<void>;
}

/** Slots of a dead gateway block users for this long. */
export const leaseMs = 4_500;
/** Two renewals may fail before expiry. */
export const keepIntervalMs = 1_500;

/** Larger scripts delay other Redis clients. */
const maxBatch = 250;

/* A sorted set per scope: lease ids by expiry on Redis's clock. KEYS: scopes, lease by lease. ARGV: see each script. */
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
