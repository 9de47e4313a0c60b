import type { UserActor } from '@panel/rpc';

export interface Identity {
  readonly userId: string;
  readonly username: string;
  readonly roleName: string;
  readonly permissions: readonly string[];
  /** Restricts an API key; undefined: unrestricted. */
  readonly keyPermissions: readonly string[] | undefined;
  readonly rateLimitMultiplier: number;
  readonly method: UserActor['method'];
  /** Session or API key id, by `method`. */
  readonly credentialId: string;
  /** Unix milliseconds; Infinity: never. */
  readonly expiresAt: number;
  /** Required by the settings, not set up yet. */
  readonly mustSetUpTwoFactor: boolean;
}

/** Accepted before, by id. */
export type KnownCredential =
  { readonly $case: 'sessionId'; readonly value: string } | { readonly $case: 'apiKeyId'; readonly value: string };

/** With a signed actor token for RPCs. */
export interface Caller {
  readonly identity: Identity;
  readonly actorToken: string;
}
