import type { ActivityEvent } from '@panel/client';
import type { I18n } from '../i18n/i18n.js';

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A localized event with its properties; ids only without other properties. */
export function eventText(
  { event, properties }: Pick<ActivityEvent, 'event' | 'properties'>,
  { maybe, money }: Pick<I18n, 'maybe' | 'money'>,
): string {
  const { amount, currency, ...others } = properties;
  const isMoney = Number.isInteger(Number(amount)) && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  const values = isMoney
    ? [money({ amount: Number(amount), currency }), ...Object.values(others)]
    : Object.values(properties);
  const known = values.filter((value) => value !== '');
  const words = known.filter((value) => !id.test(value));
  const details = words.length > 0 ? words : known;
  const name = maybe(`event.${event}`, event);
  return details.length === 0 ? name : `${name}: ${details.join(', ')}`;
}
