import { useCallback, useSyncExternalStore } from 'react';

/** Rounded down to `everyMs`; null: no own updates. */
export function useNow(everyMs: number | null): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      if (everyMs === null) return () => undefined;
      const timer = setInterval(listener, everyMs);
      return () => clearInterval(timer);
    },
    [everyMs],
  );
  const roundMs = everyMs ?? 1_000;
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / roundMs) * roundMs);
}
