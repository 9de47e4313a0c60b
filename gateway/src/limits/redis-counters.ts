import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isRedisReplyError } from './redis-error.js';
import type { Count, CountAnswer, Counters } from './counters.js';
import { countScript } from './redis-script.js';
import { windowMs } from './rules.js';

interface Waiting {
  readonly counts: readonly Count[];
  readonly userId: string | null;
  readonly resolve: (answer: CountAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** More keys than this in one script would hold up other clients of that Redis. */
const maxBatch = 500;

/**
 * Counters shared by all gateways on one Redis. All requests of one turn of the event loop travel together. Rejects when
 * Redis does not answer; nothing is tried twice, because that would count twice.
 */
export function createRedisCounters(redis: Redis, prefix: string): Counters {
  let waiting: Waiting[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    for (let start = 0; start < batch.length; start += maxBatch) {
      void runBatch(redis, prefix, batch.slice(start, start + maxBatch));
    }
  };
  return {
    count: async (counts, userId) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ counts, userId, resolve, reject }) === 1) setImmediate(flush);
      }),
    isUp: () => redis.status === 'ready',
    stop: () => Promise.resolve(),
  };
}

async function runBatch(redis: Redis, prefix: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const reply = await runScript(redis, prefix, batch);
    distribute(batch, reply);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

async function runScript(redis: Redis, prefix: string, batch: readonly Waiting[]): Promise<readonly unknown[]> {
  const keys: string[] = [];
  const costs: string[] = [];
  for (const { counts } of batch) {
    for (const { key, cost } of counts) {
      keys.push(`${prefix}:rate:${key}`);
      costs.push(cost === 1 ? '1' : '0');
    }
  }
  keys.push(`${prefix}:auth:instance`, `${prefix}:auth:epoch:all`);
  for (const { userId } of batch) if (userId !== null) keys.push(`${prefix}:auth:epoch:${userId}`);
  const args = [`${costs.length}`, `${windowMs}`, randomUUID(), ...costs];
  let reply: unknown;
  try {
    reply = await redis.evalsha(countScript.sha, keys.length, ...keys, ...args);
  } catch (error) {
    // A Redis that was restarted has forgotten the script; nothing was counted, so it may run again.
    if (!isRedisReplyError(error, 'NOSCRIPT')) throw error;
    reply = await redis.eval(countScript.lua, keys.length, ...keys, ...args);
  }
  if (!Array.isArray(reply)) throw new TypeError('the count script answered something else than a list');
  return reply;
}

function distribute(batch: readonly Waiting[], reply: readonly unknown[]): void {
  const now = Date.now();
  const counters = batch.reduce((sum, { counts }) => sum + counts.length, 0);
  const instance = String(reply[2 * counters]);
  const all = String(reply[2 * counters + 1]);
  let counterAt = 0;
  let userAt = 2 * counters + 2;
  for (const { counts, userId, resolve } of batch) {
    const results = counts.map(() => {
      const result = { used: Number(reply[counterAt]), resetsAt: now + Number(reply[counterAt + 1]) };
      counterAt += 2;
      return result;
    });
    const user = userId === null ? '' : String(reply[userAt++]);
    resolve({ counts: results, epochs: { instance, all, user }, share: 1 });
  }
}
