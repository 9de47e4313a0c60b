import { type ConcurrencyLimiter, createConcurrencyLimiter } from '@panel/kit/async';
import { fail } from '../reasons.js';

/** `run` throws HASHING_BUSY when the queue is full. */
export function createHashingLimiter({
  concurrency,
  maxWaiting,
}: {
  readonly concurrency: number;
  readonly maxWaiting: number;
}): ConcurrencyLimiter {
  const refusal = () => fail('HASHING_BUSY', 'too many sign-ins at once, try again in a second');
  return createConcurrencyLimiter({ concurrency, queue: { maxWaiting, refusal } });
}
