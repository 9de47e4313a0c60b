import { useMemo, useState, useSyncExternalStore } from 'react';
import { useServer } from '../server/server-context.js';
import { useSearchParams } from '../ui/search-params.js';

export interface ShownTime {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The time shown by the console: the last one picked, else that of the address once its lines have arrived. */
export function useShownTime(): readonly [ShownTime | null, (at: number) => void] {
  const linked = useLinkedTime();
  const [picked, setPicked] = useState<ShownTime | null>(null);
  return [picked ?? linked, (at) => setPicked({ at })];
}

function useLinkedTime(): ShownTime | null {
  const { session } = useServer();
  const at = Number(useSearchParams()[0].get('at') ?? NaN);
  const isThere = useSyncExternalStore(
    (listener) => session.onLines(listener),
    () => session.ring.timeAt(session.ring.next - 1) >= at,
  );
  return useMemo(() => (isThere ? { at } : null), [isThere, at]);
}
