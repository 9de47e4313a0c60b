import { createHash } from 'node:crypto';

/** What all processes of an installation begin their keys with. */
export const redisKeyPrefix = 'panel';

/** A script as Redis knows it. */
interface RedisScript {
  readonly lua: string;
  readonly sha: string;
}

/** What scripts need of a Redis client; ioredis has it. */
export interface ScriptRedis {
  evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  eval(lua: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** Run a script by its hash, in one round trip. Rejects as the client does; nothing is tried twice that was done once. */
export async function runScript(
  redis: ScriptRedis,
  { lua, sha }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    // A Redis that was restarted has forgotten the script; nothing was done, so it may run again.
    if (!isRedisReplyError(error, 'NOSCRIPT')) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}

/** Whether Redis itself refused a command, with this code (the first word of its message). */
function isRedisReplyError(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'ReplyError' && error.message.startsWith(`${code} `);
}
