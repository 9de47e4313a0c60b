import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AuthEpochs } from './counters.js';

/** Reads the epochs of a user (null: only those of all users). Rejects when Redis does not respond. */
export type EpochReader = (userId: string | null) => Promise<AuthEpochs>;

/**
 * Epochs are written by identity. The instance marker is written by the first gateway that misses it, so that a Redis that
 * lost its data does not look like one where nothing has changed.
 */
export function createEpochReader(redis: Redis, prefix: string): EpochReader {
  const instanceKey = `${prefix}:auth:instance`;
  const epochKey = (userId: string) => `${prefix}:auth:epoch:${userId}`;
  const allKey = epochKey('all');
  const createInstance = async (): Promise<string> => {
    await redis.set(instanceKey, randomUUID(), 'NX');
    return (await redis.get(instanceKey)) ?? '';
  };
  return async (userId) => {
    const keys = userId === null ? [instanceKey, allKey] : [instanceKey, allKey, epochKey(userId)];
    const [instance, all, user] = await redis.mget(keys);
    return { instance: instance ?? (await createInstance()), all: all ?? '', user: user ?? '' };
  };
}
