import type { UserActor } from '@panel/rpc';

/** Somebody known, with what they may do at this moment. */
export interface Identity {
  readonly userId: string;
  readonly username: string;
  readonly roleName: string;
  readonly permissions: readonly string[];
  readonly rateLimitMultiplier: number;
  readonly method: UserActor['method'];
  /** Session id or API key id, by `method`. */
  readonly credentialId: string;
  /** Unix time in milliseconds at which the session or key ends; Infinity for a key without end. */
  readonly expiresAt: number;
  /** The settings demand two-factor authentication, which this user has yet to set up. */
  readonly mustSetUpTwoFactor: boolean;
}

/** An identity, and the signed actor that tells the services about it. */
export interface Caller {
  readonly identity: Identity;
  readonly actorToken: string;
}
