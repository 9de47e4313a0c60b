import { useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/states.js';

export function ConnectionNote() {
  const { t, maybe } = useI18n();
  const { session } = useServer();
  const { connection } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  if (connection.kind === 'waiting' && connection.refusal)
    return <ErrorNote error={connection.refusal} onRetry={() => session.restart()} />;
  if (connection.kind === 'waiting') return <Note kind="warning">{t('console.reconnecting')}</Note>;
  if (connection.kind !== 'stopped') return null;
  if (connection.error) return <ErrorNote error={connection.error} onRetry={() => session.restart()} />;
  return (
    <Note kind="warning">
      <p>{maybe(`console.closed-${connection.code}`, t('console.closed'))}</p>
      <Button onClick={() => session.restart()}>{t('action.retry')}</Button>
    </Note>
  );
}
