import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AuthEpochs } from './counters.js';
import { createTurnBatch } from './turn-batch.js';

/** Reads the epochs of a user (null: only those of all users). Rejects when Redis does not respond. */
export type EpochReader = (userId: string | null) => Promise<AuthEpochs>;

/**
 * Epochs are written by identity. The instance marker is written by the first gateway that misses it, so that a Redis that
 * lost its data does not look like one where nothing has changed. One command reads the epochs of all requests of a turn
 * of the event loop.
 */
export function createEpochReader(redis: Redis, prefix: string): EpochReader {
  const instanceKey = `${prefix}:auth:instance`;
  const epochKey = (userId: string) => `${prefix}:auth:epoch:${userId}`;
  const createInstance = async (): Promise<string> => {
    await redis.set(instanceKey, randomUUID(), 'NX');
    return (await redis.get(instanceKey)) ?? '';
  };
  return createTurnBatch<string | null, AuthEpochs>(async (userIds) => {
    const users = [...new Set(userIds)].filter((userId) => userId !== null);
    const [instance, all, ...epochs] = await redis.mget([instanceKey, epochKey('all'), ...users.map(epochKey)]);
    const byUser = new Map(users.map((userId, index) => [userId, epochs[index] ?? '']));
    const shared = { instance: instance ?? (await createInstance()), all: all ?? '' };
    return userIds.map((userId) => ({ ...shared, user: userId === null ? '' : (byUser.get(userId) ?? '') }));
  });
}
