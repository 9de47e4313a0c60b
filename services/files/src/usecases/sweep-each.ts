import type { Logger } from '@panel/kit';

/** Sweep items one after another: one that fails is logged, and keeps no other waiting. Throws the reason of `signal`. */
export async function sweepEach<T extends { readonly id: string }>(
  items: readonly T[],
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
  sweep: (item: T) => Promise<unknown>,
): Promise<void> {
  for (const item of items) {
    signal.throwIfAborted();
    try {
      await sweep(item);
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error, itemId: item.id }, 'a sweep failed for one item');
    }
  }
}
