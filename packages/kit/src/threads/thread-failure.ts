import { AppError, isAppError } from '../errors/index.js';

/** As a message of a thread. */
export type ThreadFailure =
  | { readonly kind: 'refused'; readonly error: Pick<AppError, 'kind' | 'reason' | 'message' | 'metadata'> }
  /** A defect, for the log. */
  | { readonly kind: 'failed'; readonly message: string };

export function threadFailureOf(error: unknown): ThreadFailure {
  if (isAppError(error)) {
    const { kind, reason, message, metadata } = error;
    return { kind: 'refused', error: { kind, reason, message, metadata } };
  }
  return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function errorOf(failure: ThreadFailure): Error {
  if (failure.kind === 'failed') return new Error(`a thread failed: ${failure.message}`);
  const { kind, reason, message, metadata } = failure.error;
  return new AppError(kind, reason, message, metadata);
}

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
