import { createHash } from 'node:crypto';

export const redisKeyPrefix = 'panel';

interface RedisScript {
  readonly lua: string;
  readonly sha: string;
}

export interface ScriptRedis {
  evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  eval(lua: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** By hash in one round trip. Never repeats an executed script. */
export async function runScript(
  redis: ScriptRedis,
  { lua, sha }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    // A restarted Redis has lost the script and done nothing.
    if (!isRedisReplyError(error, 'NOSCRIPT')) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}

/** The code is the first word of the message. */
function isRedisReplyError(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'ReplyError' && error.message.startsWith(`${code} `);
}
