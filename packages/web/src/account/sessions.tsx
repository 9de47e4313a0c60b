import type { Session } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { ResourceTable } from '../ui/table.js';
import { deviceName } from './device-name.js';

export function Sessions() {
  const { t, relative, date } = useI18n();
  const { confirm, dialog } = useConfirm();
  const end = useChange(
    async (client, session_id: string) => client.delete('/account/sessions/{session-id}', { params: { session_id } }),
    [['account', 'sessions']],
  );
  const askToEnd = ({ id, user_agent, ip }: Session) =>
    confirm({
      title: t('account.end-session-title'),
      text: t('account.end-session-text', { device: deviceName(user_agent), ip }),
      action: t('account.end-session-title'),
      onConfirm: async () => end.mutateAsync(id),
    });
  return (
    <>
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
          { label: t('field.ip'), cell: ({ ip }) => <code>{ip}</code> },
          {
            label: t('account.last-used'),
            cell: ({ last_used_at, created_at }) => relative(last_used_at ?? created_at),
          },
          { label: t('field.expires'), cell: ({ expires_at }) => date(expires_at) },
        ]}
        actions={(session) => (
          <Button why={session.current && t('account.this-device')} onClick={() => askToEnd(session)}>
            {t('account.end-session')}
          </Button>
        )}
      />
      {dialog}
    </>
  );
}
