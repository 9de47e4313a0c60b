import type { ActivityEvent } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { collect } from '../../net/pages.js';
import { useAccount } from '../../net/queries.js';
import { useData } from '../../net/use-data.js';
import { actorText } from './actor-text.js';
import { eventText } from './event-text.js';
import { useServer } from './server-context.js';

/** Who has done something with the server: people of the server have their names. */
export function Actor({ event }: { readonly event: ActivityEvent }) {
  const i18n = useI18n();
  const { id, may } = useServer();
  const account = useAccount().data;
  const isSomebodyElse = event.actor_id !== null && account !== undefined && event.actor_id !== account.id;
  const people = useData(
    ['server', id, 'subusers', 'names'],
    async (client) => collect(client.pages('/servers/{id}/subusers', { params: { id } })),
    { enabled: isSomebodyElse && may('user.read'), staleTime: 300_000 },
  );
  const person = people.data?.find(({ user }) => user.id === event.actor_id);
  return person ? <bdi>{person.user.username ?? person.user.email}</bdi> : actorText(event, account, i18n);
}

/** What was changed, by whom and when. */
export function ChangeList({ changes }: { readonly changes: readonly ActivityEvent[] }) {
  const i18n = useI18n();
  return (
    <ul>
      {changes.map((change) => (
        <li key={change.id}>
          {eventText(change, i18n)}{' '}
          <span className="faint">
            <Actor event={change} />, {i18n.relative(change.at)}
          </span>
        </li>
      ))}
    </ul>
  );
}
