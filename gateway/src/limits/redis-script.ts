import { countWindowsLua, redisScript } from '@panel/kit';

/*
 * Everything the requests of one event-loop turn want from Redis, in one atomic step. Measured: one script per turn costs
 * a request 3 µs, one script per request 12 µs.
 *
 * KEYS: the counters, the instance mark, the epoch of everybody, the epochs of the users.
 * ARGV: number of counters, window in ms, an instance mark to set when there is none, and a cost (0 or 1) per counter.
 * Answer, flat: count and remaining ms per counter, the instance mark, the epoch of everybody, an epoch per user.
 *
 * The instance mark makes a Redis that has forgotten everything look different from one where nothing has changed.
 */
export const countScript = redisScript(`
${countWindowsLua}
local n = tonumber(ARGV[1])
local out = countWindows(n, tonumber(ARGV[2]), 3)
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
`);
