import type { ActivityEvent } from '@panel/client';
import type { I18n } from '../../i18n/i18n.js';

/** What was done, in words where the language has them, with what the event says about it. */
export function eventText({ event, properties }: ActivityEvent, { maybe }: Pick<I18n, 'maybe'>): string {
  const details = Object.values(properties).filter((value) => value !== '');
  const name = maybe(`event.${event}`, event);
  return details.length === 0 ? name : `${name}: ${details.join(', ')}`;
}
