import { type FieldMessages, invalidFields } from '@panel/kit/errors';

/** An action of a user. Null: no user, or nothing of the kind. */
export interface ActivityEvent {
  readonly id: string;
  /** Area and verb, e.g. "auth:success". */
  readonly event: string;
  readonly time: Date;
  readonly actorId: string | null;
  readonly apiKeyId: string | null;
  readonly ip: string;
  readonly userAgent: string;
  /** Whose account it is about. */
  readonly userId: string | null;
  readonly serverId: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

/**
 * The event as this person may see it in the own list: its origin, only if they or an unauthenticated caller did it.
 */
export function redactFor(event: ActivityEvent, userId: string): ActivityEvent {
  if (event.actorId === null || event.actorId === userId) return event;
  return { ...event, ip: '', userAgent: '' };
}

/** An event as another service sends it. */
export type ReceivedEvent = Omit<ActivityEvent, 'time'> & { readonly time?: Date | undefined };

/** Clocks of our machines may differ by this much. */
const maxSkewMs = 5 * 60_000;

/** Events with a time: the given one, or `now`. Throws INVALID_FIELDS for a time in the future. */
export function datedEvents(events: readonly ReceivedEvent[], now: Date): ActivityEvent[] {
  const problems: FieldMessages = {};
  const dated = events.map(({ time = now, ...event }, index) => {
    if (time.getTime() > now.getTime() + maxSkewMs) problems[`events.${index}.time`] = ['must not be in the future'];
    return { ...event, time };
  });
  if (Object.keys(problems).length > 0) throw invalidFields(problems);
  return dated;
}

export interface ActivityFilter {
  /** Done by this user, or about this user's account. */
  readonly userId: string | null;
  readonly serverId: string | null;
}
