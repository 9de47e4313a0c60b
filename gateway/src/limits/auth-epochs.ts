import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

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

/** Identity writes it. */
export function epochKey(prefix: string, userId: string): string {
  return `${prefix}:auth:epoch:${userId}`;
}

export function instanceKey(prefix: string): string {
  return `${prefix}:auth:instance`;
}

/** The first gateway that misses the instance marker writes it, which reveals a Redis that lost data. */
export function createInstanceMarker(redis: Redis, prefix: string): () => Promise<string> {
  const key = instanceKey(prefix);
  let creating: Promise<string> | null = null;
  const create = async (): Promise<string> => {
    await redis.set(key, randomUUID(), 'NX');
    return (await redis.get(key)) ?? '';
  };
  return async () => {
    creating ??= create().finally(() => {
      creating = null;
    });
    return creating;
  };
}
