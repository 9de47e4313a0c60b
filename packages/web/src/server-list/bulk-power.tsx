import type { ListedServer } from '@panel/client';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../api/context.js';
import { useI18n } from '../i18n/i18n.js';
import type { PowerAction } from '../server/power.js';
import { Button } from '../ui/button.js';
import { errorText } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';

const CommandDialog = lazy(async () => ({ default: (await import('../consoles/command-dialog.js')).CommandDialog }));

interface BulkPowerProps {
  readonly servers: readonly ListedServer[];
  readonly onDone: (left: readonly string[]) => void;
}

/** Power for all selected servers; failures are reported and stay selected. */
export function BulkPower({ servers, onDone }: BulkPowerProps) {
  const i18n = useI18n();
  const { t } = i18n;
  const api = useApi();
  const toasts = useToasts();
  const [isBusy, setIsBusy] = useState(false);
  const [isCommanding, setIsCommanding] = useState(false);
  const act = async (action: PowerAction): Promise<void> => {
    setIsBusy(true);
    const results = await Promise.allSettled(
      servers.map(async ({ id }) =>
        api.call(async (client) => client.post('/servers/{id}/power', { params: { id }, body: { action } })),
      ),
    );
    setIsBusy(false);
    const failed = results.flatMap((result, index) => {
      const server = servers[index];
      if (result.status === 'fulfilled' || !server) return [];
      return [{ id: server.id, text: `${server.name}: ${errorText(result.reason, i18n)}` }];
    });
    onDone(failed.map(({ id }) => id));
    if (failed.length === 0) toasts.show(t('servers.bulk-done', { count: servers.length }));
    else toasts.show(failed.map(({ text }) => text).join(' · '), { kind: 'error' });
  };
  return (
    <div className="row" role="group" aria-label={t('servers.bulk')}>
      <span>{t('servers.selected', { count: servers.length })}</span>
      {(['start', 'restart', 'stop'] as const).map((action) => (
        <Button key={action} isBusy={isBusy} onClick={() => void act(action)}>
          {t(`power.${action}`)}
        </Button>
      ))}
      <Button onClick={() => setIsCommanding(true)}>{t('servers.command')}</Button>
      <Link to={`/wall?servers=${servers.map(({ id }) => id).join(',')}`} className="button" data-kind="plain">
        {t('servers.consoles')}
      </Link>
      <Button kind="quiet" onClick={() => onDone([])}>
        {t('servers.select-none')}
      </Button>
      {isCommanding ? (
        <Suspense fallback={null}>
          <CommandDialog targets={servers} onClose={() => setIsCommanding(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
