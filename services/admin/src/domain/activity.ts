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

export interface ActivityFilter {
  /** Done by this user, or about this user's account. */
  readonly userId: string | null;
  readonly serverId: string | null;
}
