import { useI18n } from '../../i18n/i18n.js';
import { ResourceTable } from '../../parts/table.js';
import { Actor } from './actor.js';
import { eventText } from './event-text.js';
import { useServer } from './server-context.js';

export function ActivityPage() {
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
