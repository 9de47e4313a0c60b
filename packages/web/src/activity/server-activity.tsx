import { useI18n } from '../i18n/i18n.js';
import { activityTexts } from '../i18n/texts/activity/activity-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { ResourceTable } from '../ui/table.js';
import { Actor } from './actor.js';
import { eventText } from './event-text.js';
import { useServer } from '../server/server-context.js';

export const ActivityPage = withTexts([activityTexts], ServerActivity);

function ServerActivity() {
  const i18n = useI18n();
  const { t } = i18n;
  const { id } = useServer();
  return (
    <ResourceTable
      label={t('server.activity')}
      queryKey={['server', id, 'activity']}
      read={async (client, query) => client.get('/servers/{id}/activity', { params: { id }, query })}
      hasSearch
      empty={t('activity.none')}
      idOf={(event) => event.id}
      columns={[
        { label: t('activity.what'), cell: (event) => eventText(event, i18n), isName: true },
        { label: t('activity.who'), cell: (event) => <Actor event={event} /> },
        { label: t('activity.when'), cell: (event) => <time dateTime={event.at ?? ''}>{i18n.date(event.at)}</time> },
      ]}
    />
  );
}
