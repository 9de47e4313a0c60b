import { type FieldMessages, requireValid } from '@panel/kit/errors';
import { date, id, orNull, type RecordOf, text, textMap } from '@panel/kit/records';

/** Null: not applicable. */
export const activityFields = {
  id,
  /** Area and verb, e.g. "auth:success". */
  event: id,
  time: date,
  actorId: orNull(text),
  apiKeyId: orNull(text),
  ip: text,
  userAgent: text,
  /** Owner of the affected account. */
  userId: orNull(text),
  serverId: orNull(text),
  properties: textMap,
};
export type ActivityEvent = RecordOf<typeof activityFields>;

/** Hides the origin unless this user or an unauthenticated caller acted. */
export function redactFor(event: ActivityEvent, userId: string): ActivityEvent {
  if (event.actorId === null || event.actorId === userId) return event;
  return { ...event, ip: '', userAgent: '' };
}

/** From another service. */
export type ReceivedEvent = Omit<ActivityEvent, 'time'> & { readonly time?: Date | undefined };

/** Tolerated clock difference. */
const maxSkewMs = 5 * 60_000;

/** Default time `now`. Throws INVALID_FIELDS for a future time. */
export function datedEvents(events: readonly ReceivedEvent[], now: Date): ActivityEvent[] {
  const problems: FieldMessages = {};
  const dated = events.map(({ time = now, ...event }, index) => {
    if (time.getTime() > now.getTime() + maxSkewMs) problems[`events.${index}.time`] = ['must not be in the future'];
    return { ...event, time };
  });
  requireValid(problems);
  return dated;
}

export interface ActivityFilter {
  /** As actor, or as affected user. */
  readonly userId: string | null;
  readonly serverId: string | null;
}
