import { randomUUID } from 'node:crypto';
import { readWindows, runScript, windowKey, windowMs } from '@panel/kit';
import type { Redis } from 'ioredis';
import type { Count, CountResponse, Counters } from './counters.js';
import { countScript } from './redis-script.js';

interface Waiting {
  readonly counts: readonly Count[];
  readonly userId: string | null;
  readonly resolve: (answer: CountResponse) => void;
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
    const reply = await ask(redis, prefix, batch);
    distribute(batch, reply);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

async function ask(redis: Redis, prefix: string, batch: readonly Waiting[]): Promise<readonly unknown[]> {
  const keys: string[] = [];
  const costs: string[] = [];
  for (const { counts } of batch) {
    for (const { key, cost } of counts) {
      keys.push(windowKey(key, prefix));
      costs.push(`${cost}`);
    }
  }
  keys.push(`${prefix}:auth:instance`, `${prefix}:auth:epoch:all`);
  for (const { userId } of batch) if (userId !== null) keys.push(`${prefix}:auth:epoch:${userId}`);
  const args = [`${costs.length}`, `${windowMs}`, randomUUID(), ...costs];
  const reply = await runScript(redis, countScript, keys, args);
  if (!Array.isArray(reply)) throw new TypeError('the count script answered something else than a list');
  return reply;
}

function distribute(batch: readonly Waiting[], reply: readonly unknown[]): void {
  const counters = batch.reduce((sum, { counts }) => sum + counts.length, 0);
  const states = readWindows(reply, counters);
  const instance = String(reply[2 * counters]);
  const all = String(reply[2 * counters + 1]);
  let counterAt = 0;
  let userAt = 2 * counters + 2;
  for (const { counts, userId, resolve } of batch) {
    const results = states.slice(counterAt, counterAt + counts.length);
    counterAt += counts.length;
    const user = userId === null ? '' : String(reply[userAt++]);
    resolve({ counts: results, epochs: { instance, all, user }, share: 1 });
  }
}
