import { raceAbort } from '@panel/kit/async';
import { fail } from '../reasons.js';

/** For work that ignores its abort. */
const graceMs = 10_000;

/** Aborts work after `idleMs` without a report and throws STORAGE_UNAVAILABLE, at most `graceMs` later. */
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
    // the idle abort caused the error
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
