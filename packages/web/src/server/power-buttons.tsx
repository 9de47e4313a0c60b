import { useState } from 'react';
import { useChange } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { ConfirmLater } from '../ui/confirm-later.js';
import { Status } from '../ui/status.js';
import { useToasts } from '../ui/toasts.js';
import { type PowerAction, powerDenial } from './power.js';
import { useLiveStatus, useServer } from './server-context.js';

/** The status of the server and the power actions it allows. */
export function PowerButtons() {
  const i18n = useI18n();
  const { t } = i18n;
  const { server, id } = useServer();
  const toasts = useToasts();
  const status = useLiveStatus();
  const [isKilling, setIsKilling] = useState(false);
  const power = useChange(
    async (client, action: PowerAction) => client.post('/servers/{id}/power', { params: { id }, body: { action } }),
    [['server', id]],
  );
  const live = { ...server, status: status as typeof server.status };
  const isStopping = status === 'stopping';
  return (
    <>
      <Status value={status} />
      {(['start', 'restart', 'stop'] as const).map((action) => (
        <Button
          key={action}
          kind={action === 'start' ? 'primary' : 'plain'}
          isBusy={power.isPending && power.variables === action}
          why={powerDenial(live, action, i18n)}
          onClick={() => power.mutate(action, { onError: toasts.showError })}
        >
          {t(`power.${action}`)}
        </Button>
      ))}
      {isStopping ? (
        <Button kind="danger" why={powerDenial(live, 'kill', i18n)} onClick={() => setIsKilling(true)}>
          {t('power.kill')}
        </Button>
      ) : null}
      {isKilling ? (
        <ConfirmLater
          title={t('power.kill')}
          text={t('power.kill-text')}
          action={t('power.kill')}
          onConfirm={async () => power.mutateAsync('kill')}
          onClose={() => setIsKilling(false)}
        />
      ) : null}
    </>
  );
}
