import { lazy, Suspense, useState } from 'react';
import type { ActivityEvent } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { powerDenial } from '../server/power.js';
import { useLiveStatus, useServer } from '../server/server-context.js';
import { useServerEvents } from '../activity/server-events.js';

const ChangeList = lazy(async () => ({ default: (await import('../activity/change-list.js')).ChangeList }));

/** Events without effect on a running game. */
const waitsForRestart = /^server:(startup\.update|allocation\.(create|update|delete)|update)$/;
const starts = /^server:(power\.(start|restart)|crashed|install\.completed)$/;

/** Newest first. */
function pendingChanges(events: readonly ActivityEvent[]): readonly ActivityEvent[] {
  const startedAt = events.findIndex(({ event }) => starts.test(event));
  const since = startedAt === -1 ? events : events.slice(0, startedAt);
  return since.filter(({ event }) => waitsForRestart.test(event));
}

/** Pending changes with actors, and a restart button. */
export function PendingChanges() {
  const i18n = useI18n();
  const { t } = i18n;
  const { id, server } = useServer();
  const status = useLiveStatus();
  const toasts = useToasts();
  const events = useServerEvents();
  const [isDone, setIsDone] = useState(false);
  const restart = useChange(
    async (client) => client.post('/servers/{id}/power', { params: { id }, body: { action: 'restart' } }),
    [['server', id]],
  );
  const changes = status === 'running' || status === 'starting' ? pendingChanges(events) : [];
  if (changes.length === 0 || isDone) return null;
  return (
    <Note>
      <p>{t('pending.title', { count: changes.length })}</p>
      <Suspense fallback={null}>
        <ChangeList changes={changes} />
      </Suspense>
      <Button
        isBusy={restart.isPending}
        why={powerDenial({ ...server, status: status as typeof server.status }, 'restart', i18n)}
        onClick={() => restart.mutate(undefined, { onSuccess: () => setIsDone(true), onError: toasts.showError })}
      >
        {t('power.restart')}
      </Button>
    </Note>
  );
}
