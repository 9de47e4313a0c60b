import { isAppError, messageOf } from '../errors/errors.js';

/** Else the message; "none" for a resolved promise. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isAppError(error) ? error.reason : messageOf(error)),
  );
}
