import { useEffect } from 'react';

const quietMs = 1_500;

/** Loads what a click may need soon after the page. `load` keeps its identity. */
export function useLoadedLater(load: () => Promise<unknown>): void {
  useEffect(() => {
    // The click loads it again and reports errors.
    const timer = setTimeout(() => void load().catch(() => undefined), quietMs);
    return () => clearTimeout(timer);
  }, [load]);
}
