import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AuthEpochs } from './counters.js';
import type { RedisTurn } from './redis-turn.js';

/** Reads the epochs of a user (null: only those of all users). Rejects when Redis does not respond. */
type EpochReader = (userId: string | null) => Promise<AuthEpochs>;

/**
 * Epochs are written by identity. The instance marker is written by the first gateway that misses it, so that a Redis that
 * lost its data differs from one where nothing has changed.
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
