import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RedisTurn } from './redis-turn.js';

/**
 * Change with credentials (Redis instance, all users, one user). Responses of identity are cached only while all three
 * equal those before the call.
 */
export interface AuthEpochs {
  readonly instance: string;
  readonly all: string;
  readonly user: string;
}

export function sameEpochs(a: AuthEpochs, b: AuthEpochs): boolean {
  return a.user === b.user && a.all === b.all && a.instance === b.instance;
}

/** Null: epochs of all users only. Rejects when Redis does not respond. */
type EpochReader = (userId: string | null) => Promise<AuthEpochs>;

/**
 * Identity writes epochs. The first gateway that misses the instance marker writes it, which reveals a Redis that lost
 * data.
 */
export function createEpochReader(redis: Redis, turn: RedisTurn, prefix: string): EpochReader {
  const instanceKey = `${prefix}:auth:instance`;
  const epochKey = (userId: string) => `${prefix}:auth:epoch:${userId}`;
  const ofAll = [instanceKey, epochKey('all')];
  let creating: Promise<string> | null = null;
  const createInstance = async (): Promise<string> => {
    await redis.set(instanceKey, randomUUID(), 'NX');
    return (await redis.get(instanceKey)) ?? '';
  };
  const createInstanceOnce = async (): Promise<string> => {
    creating ??= createInstance().finally(() => {
      creating = null;
    });
    return creating;
  };
  return async (userId) => {
    const [instance, all, user] = await turn.read(userId === null ? ofAll : [...ofAll, epochKey(userId)]);
    return { instance: instance ?? (await createInstanceOnce()), all: all ?? '', user: user ?? '' };
  };
}
