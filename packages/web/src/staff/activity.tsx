import { useI18n } from '../i18n/i18n.js';
import { useAccount } from '../api/queries.js';
import { Page } from '../ui/page.js';
import { ResourceTable } from '../ui/table.js';
import { actorText } from '../activity/actor-text.js';
import { eventText } from '../activity/event-text.js';

export function StaffActivity() {
  const i18n = useI18n();
  const { t } = i18n;
  const account = useAccount().data;
  return (
    <Page title={t('nav.activity')}>
      <ResourceTable
        label={t('nav.activity')}
        queryKey={['staff', 'activity']}
        read={async (client, query) => client.get('/admin/activity', { query })}
        hasSearch
        empty={t('activity.none')}
        idOf={({ id }) => id}
        columns={[
          { label: t('activity.what'), cell: (event) => eventText(event, i18n), isName: true },
          {
            label: t('activity.who'),
            cell: (event) => actorText(event, account, i18n),
          },
          { label: t('field.ip'), cell: ({ ip }) => ip ?? '–' },
          { label: t('activity.when'), cell: ({ at }) => i18n.date(at) },
        ]}
      />
    </Page>
  );
}
