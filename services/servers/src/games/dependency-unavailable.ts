import { isAppError, isUnavailable } from '@panel/kit/errors';

/** Of kind `unavailable`, but answers to the request. */
const results: ReadonlySet<string> = new Set(['ENGINE_FAILED', 'IMAGE_PULL_FAILED', 'INSTALL_TIMEOUT']);

/** A dependency of the work does not answer. */
export function isDependencyUnavailable(error: unknown): boolean {
  return isUnavailable(error) && !results.has(error.reason);
}

/** Others than these last until an operator acts: another disk, a wrong certificate. */
const transientProblems: ReadonlySet<unknown> = new Set([undefined, 'engine_unreachable', 'engine_answer_unexpected']);

/** Unavailable dependencies may recover within moments. */
export function isTransient(error: unknown): boolean {
  return isDependencyUnavailable(error) && isAppError(error) && transientProblems.has(error.metadata['problem']);
}

/** For owners, starts a sentence. */
export function nameOfUnavailable(error: unknown): string {
  return isAppError(error, 'NODE_UNREACHABLE') ? 'The node' : 'A part of the panel';
}
