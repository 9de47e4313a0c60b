import type { Method } from './call-execution.js';

/** Null until it is first sent. */
const encoded = new WeakMap<object, Buffer | null>();

/** Promise that a message never changes from now on: an exchange encodes it once, however often it is the answer. */
export function unchanging<T extends object>(message: T): T {
  encoded.set(message, null);
  return message;
}

/** The bytes of an answer. */
export function encodeAnswer(method: Method, answer: unknown): Buffer {
  const known = typeof answer === 'object' && answer !== null ? encoded.get(answer) : undefined;
  if (known) return known;
  const bytes = method.responseSerialize(answer as never);
  if (known === null) encoded.set(answer as object, bytes);
  return bytes;
}
