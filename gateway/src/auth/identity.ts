import type { UserActor } from '@panel/rpc';

/** An authenticated user with the rights they have at this moment. */
export interface Identity {
  readonly userId: string;
  readonly username: string;
  readonly roleName: string;
  readonly permissions: readonly string[];
  /** The list of an API key, which narrows everything it does; undefined without one. */
  readonly keyPermissions: readonly string[] | undefined;
  readonly rateLimitMultiplier: number;
  readonly method: UserActor['method'];
  /** Session id or API key id, by `method`. */
  readonly credentialId: string;
  /** Unix time in milliseconds at which the session or key ends; Infinity for a key that does not expire. */
  readonly expiresAt: number;
  /** The settings require two-factor authentication, which this user has not set up yet. */
  readonly mustSetUpTwoFactor: boolean;
}

/** A session or an API key that was accepted before, by its id. */
export type KnownCredential =
  { readonly $case: 'sessionId'; readonly value: string } | { readonly $case: 'apiKeyId'; readonly value: string };

/** An identity, and the signed actor token for RPCs on its behalf. */
export interface Caller {
  readonly identity: Identity;
  readonly actorToken: string;
}
