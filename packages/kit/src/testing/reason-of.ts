import { isAppError, messageOf } from '../errors/errors.js';

/** The reason a promise rejects with, "none" when it resolves; of another error than an AppError, its message. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isAppError(error) ? error.reason : messageOf(error)),
  );
}
