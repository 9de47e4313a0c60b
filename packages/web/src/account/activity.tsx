import { useI18n } from '../i18n/i18n.js';
import { ResourceTable } from '../ui/table.js';
import { eventText } from '../activity/event-text.js';

export function AccountActivity() {
  const i18n = useI18n();
  const { t } = i18n;
  return (
    <ResourceTable
      label={t('account.activity')}
      queryKey={['account', 'activity']}
      read={async (client, query) => client.get('/account/activity', { query })}
      hasSearch
      empty={t('activity.none')}
      idOf={({ id }) => id}
      columns={[
        { label: t('activity.what'), cell: (event) => eventText(event, i18n), isName: true },
        { label: t('field.ip'), cell: ({ ip }) => (ip === null ? '–' : <code>{ip}</code>) },
        { label: t('activity.when'), cell: ({ at }) => i18n.date(at) },
      ]}
    />
  );
}
