/** Something that a user or the panel has done, for the activity log. */
export interface ActivityEvent {
  /** Area and verb, like server:power.start. */
  readonly event: string;
  /** Empty or absent: about no server. */
  readonly serverId?: string;
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
  readonly serverId: string;
  /** Pairs, because keys of an outbox payload hold no dot. */
  readonly properties: readonly (readonly [string, string])[];
}
