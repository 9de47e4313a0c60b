import { useI18n } from '../../i18n/i18n.js';
import { useChange } from '../../net/use-data.js';
import { Button } from '../../parts/button.js';
import { ResourceTable } from '../../parts/table.js';
import { useToasts } from '../../parts/toasts.js';
import { deviceName } from './device-name.js';

export function Sessions() {
  const { t, relative, date } = useI18n();
  const toasts = useToasts();
  const end = useChange(
    async (client, session_id: string) => client.delete('/account/sessions/{session-id}', { params: { session_id } }),
    [['account', 'sessions']],
  );
  return (
    <ResourceTable
      label={t('account.sessions')}
      queryKey={['account', 'sessions']}
      read={async (client, query) => client.get('/account/sessions', { query })}
      empty={t('account.sessions-none')}
      idOf={({ id }) => id}
      columns={[
        {
          label: t('account.device'),
          cell: ({ user_agent, current }) => (
            <span title={user_agent}>
              {deviceName(user_agent)} {current ? `(${t('account.this-device')})` : ''}
            </span>
          ),
          isName: true,
        },
        { label: t('account.ip'), cell: ({ ip }) => <code>{ip}</code> },
        { label: t('account.last-used'), cell: ({ last_used_at, created_at }) => relative(last_used_at ?? created_at) },
        { label: t('account.expires'), cell: ({ expires_at }) => date(expires_at) },
      ]}
      actions={({ id, current }) => (
        <Button why={current && t('account.this-device')} onClick={() => end.mutate(id, { onError: toasts.showError })}>
          {t('account.end-session')}
        </Button>
      )}
    />
  );
}
