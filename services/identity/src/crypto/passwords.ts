import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import argon2 from 'argon2';
import { createHashingLimiter } from './hashing-limiter.js';

/** OWASP minimum for argon2id (2025): 19 MiB, two passes, one lane. About 40 ms of a core. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** At 25 hashes a second and core, later callers time out first. */
const maxWaiting = 64;

interface PasswordCheck {
  readonly isValid: boolean;
  /** New hash to store; null: current parameters. */
  readonly rehashed: string | null;
}

/** Bounded concurrency. All methods throw HASHING_BUSY when the queue is full. */
export interface PasswordHasher {
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /** `stored` null (no user or password): same duration, never valid. Timing must not reveal accounts. */
  verify(stored: string | null, password: string, signal?: AbortSignal): Promise<PasswordCheck>;
}

export async function createPasswordHasher(): Promise<PasswordHasher> {
  const limiter = createHashingLimiter({ concurrency: Math.max(1, availableParallelism() - 1), maxWaiting });
  const dummy = await argon2.hash(randomBytes(32), parameters);
  return {
    hash: async (password, signal) => limiter.run(async () => argon2.hash(password, parameters), signal),
    verify: async (stored, password, signal) =>
      limiter.run(async () => {
        const matches = await argon2.verify(stored ?? dummy, password);
        const isValid = matches && stored !== null;
        if (!isValid || !argon2.needsRehash(stored, parameters)) return { isValid, rehashed: null };
        return { isValid, rehashed: await argon2.hash(password, parameters) };
      }, signal),
  };
}
