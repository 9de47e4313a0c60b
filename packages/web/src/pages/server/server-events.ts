import { useEffect, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { ActivityEvent } from '@panel/client';
import { useData } from '../../net/use-data.js';
import { useServer } from './server-context.js';

/** The latest things done with the server. Read again when its state changes. */
export function useServerEvents(): readonly ActivityEvent[] {
  const { id, may, session } = useServer();
  const queries = useQueryClient();
  const { status } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const events = useData(
    ['server', id, 'activity', 'latest'],
    async (client) => (await client.get('/servers/{id}/activity', { params: { id }, query: { per_page: 50 } })).data,
    { enabled: may('activity.read'), staleTime: 15_000 },
  );
  useEffect(() => {
    if (status !== null) void queries.invalidateQueries({ queryKey: ['server', id, 'activity'] });
  }, [queries, id, status]);
  return events.data ?? [];
}
