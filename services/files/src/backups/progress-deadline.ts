import { raceAbort } from '@panel/kit/async';
import { fail } from '../reasons.js';

/** Work that does not end when it is told to is left to itself after this. */
const graceMs = 10_000;

/**
 * Run work until it ends or has not reported for `idleMs`: then its signal aborts, and it fails with STORAGE_UNAVAILABLE, at the
 * latest `graceMs` later.
 */
export async function withProgressDeadline<T>(
  idleMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal, onProgress: () => void) => Promise<T>,
): Promise<T> {
  const idle = new AbortController();
  const minutes = Math.ceil(idleMs / 60_000);
  const timer = setTimeout(
    () => idle.abort(fail('STORAGE_UNAVAILABLE', `nothing was read or stored for ${minutes} minutes`)),
    idleMs,
  );
  try {
    const running = work(AbortSignal.any([signal, idle.signal]), () => timer.refresh());
    return await raceAbort(running, idle.signal, graceMs);
  } catch (error) {
    // what the work failed with follows from it
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
