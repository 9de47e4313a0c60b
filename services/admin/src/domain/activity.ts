import { type FieldMessages, invalidFields } from '@panel/kit/errors';

/** Null: not applicable. */
export interface ActivityEvent {
  readonly id: string;
  /** Area and verb, e.g. "auth:success". */
  readonly event: string;
  readonly time: Date;
  readonly actorId: string | null;
  readonly apiKeyId: string | null;
  readonly ip: string;
  readonly userAgent: string;
  /** Owner of the affected account. */
  readonly userId: string | null;
  readonly serverId: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

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
  if (Object.keys(problems).length > 0) throw invalidFields(problems);
  return dated;
}

export interface ActivityFilter {
  /** As actor, or as affected user. */
  readonly userId: string | null;
  readonly serverId: string | null;
}
