import { createHash } from 'node:crypto';

/*
 * Everything the requests of one event-loop turn want from Redis, in one atomic step. Measured: one script per turn costs
 * a request 3 µs, one script per request 12 µs.
 *
 * KEYS: the counters, the instance mark, the epoch of everybody, the epochs of the users.
 * ARGV: number of counters, window in ms, an instance mark to set when there is none, and a cost (0 or 1) per counter.
 * Answer, flat: count and remaining ms per counter, the instance mark, the epoch of everybody, an epoch per user.
 *
 * The instance mark makes a Redis that has forgotten everything look different from one where nothing has changed.
 * A counter without expiry cannot come from this script; if there is one, it gets an expiry rather than locking somebody
 * out for ever.
 */
const lua = `
local n = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local out = {}
for i = 1, n do
  local count
  if ARGV[3 + i] == '1' then count = redis.call('INCR', KEYS[i]) else count = tonumber(redis.call('GET', KEYS[i]) or '0') end
  local ttl = redis.call('PTTL', KEYS[i])
  if ttl == -1 then redis.call('PEXPIRE', KEYS[i], window) end
  if ttl < 0 then ttl = window end
  out[2 * i - 1] = count
  out[2 * i] = ttl
end
local instance = redis.call('GET', KEYS[n + 1])
if not instance then
  instance = ARGV[3]
  redis.call('SET', KEYS[n + 1], instance)
end
out[2 * n + 1] = instance
for i = n + 2, #KEYS do
  out[n + i] = redis.call('GET', KEYS[i]) or ''
end
return out
`;

export const countScript = { lua, sha: createHash('sha1').update(lua).digest('hex') };
