import { useEffect, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { ActivityEvent } from '@panel/client';
import { useData } from '../api/use-data.js';
import { useServer } from '../server/server-context.js';

/** Newest first. `isLater` defers the read. */
export function useServerEvents({ isLater = false } = {}): readonly ActivityEvent[] {
  const { id, may, session } = useServer();
  const queries = useQueryClient();
  const { changes } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const events = useData(
    ['server', id, 'activity', 'latest'],
    async (client) => (await client.get('/servers/{id}/activity', { params: { id }, query: { per_page: 50 } })).data,
    { enabled: may('activity.read') && (!isLater || changes > 0), staleTime: 15_000 },
  );
  useEffect(() => {
    if (changes > 0) void queries.invalidateQueries({ queryKey: ['server', id, 'activity'] });
  }, [queries, id, changes]);
  return events.data ?? [];
}
