import { onAbort } from './abort.js';

/** Resolves after `ms`, or at once on abort. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    let stopListening = () => undefined as void;
    const timer = setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    if (!signal) return;
    stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
