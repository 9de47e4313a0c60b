import type { ActivityEvent } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { activityTexts } from '../i18n/texts/activity/activity-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { Actor } from './actor.js';
import { eventText } from './event-text.js';

export const ChangeList = withTexts([activityTexts], Changes);

function Changes({ changes }: { readonly changes: readonly ActivityEvent[] }) {
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
