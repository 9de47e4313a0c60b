import type { ActivityEvent } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useAccount } from '../api/queries.js';
import { actorText } from './actor-text.js';
import { eventText } from './event-text.js';

export function Actor({ event }: { readonly event: ActivityEvent }) {
  const i18n = useI18n();
  const account = useAccount().data;
  return <bdi>{actorText(event, account, i18n)}</bdi>;
}

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
