/** An action in the shop, for the activity log. */
export interface ActivityEvent {
  /** Area and verb, like billing:order.create. */
  readonly event: string;
  /** Whose account it is about; empty or absent: of no user. */
  readonly userId?: string;
  /** Facts to show; values are cut at 1,000 characters. Nothing secret. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** An event with who caused it, as the admin service takes it. */
export interface ActivityEntry {
  readonly event: string;
  /** Empty: the panel itself. */
  readonly actorId: string;
  readonly apiKeyId: string;
  readonly ip: string;
  readonly userId: string;
  /** Pairs, because keys of an outbox payload hold no dot. */
  readonly properties: readonly (readonly [string, string])[];
}
