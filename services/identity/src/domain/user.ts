/** Two-factor authentication that is switched on. */
export interface TwoFactor {
  /** Sealed. */
  readonly secret: string;
  /** The last time step whose code was accepted: none at or before it is accepted again. */
  readonly lastStep: number;
  /** Hashes of the unused recovery codes. */
  readonly recoveryHashes: readonly string[];
  readonly enabledAt: Date;
}

/** An account. */
export interface UserRecord {
  readonly id: string;
  /** Normalised, unique. */
  readonly email: string;
  /** The user has given the address themselves, and nothing has shown yet that it is theirs. */
  readonly isEmailUnproven?: boolean;
  readonly username: string;
  /** The username as uniqueness sees it. */
  readonly usernameKey: string;
  readonly firstName: string;
  readonly lastName: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly roleId: string;
  /** Of users with the role `admin`: their entry in the roster of admins (models/admin-roster.ts). */
  readonly adminToken: string | null;
  /** argon2id; null for a user who has not chosen a password yet. */
  readonly passwordHash: string | null;
  /**
   * A session carries the epoch it was opened in and is over in any other, except `keptSessionId`. So one atomic update
   * of the user changes a password and ends every other session, whatever else is in progress.
   */
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly twoFactor: TwoFactor | null;
  /** A secret that waits for its first code. */
  readonly twoFactorSetup: { readonly secret: string; readonly startedAt: Date } | null;
  /** The latest link to choose a password with; there is never a second one. */
  readonly passwordReset: { readonly hash: string; readonly expiresAt: Date } | null;
  /** Addresses of the last sign-ins, which are accepted even while the account is throttled. */
  readonly knownIps: readonly string[];
  readonly externalId: string | null;
  /** True on the first admin only: a unique index keeps two launchers from creating two. */
  readonly isBootstrap?: true;
  /**
   * `checking`: a deletion is claimed and checks for obstacles. `decided`: deleted for every caller, purge in progress.
   */
  readonly deletion: { readonly state: 'checking' | 'decided'; readonly at: Date } | null;
  readonly lastLoginAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a new user is made of; the rest has its defaults. */
export type NewUser = Pick<UserRecord, 'id' | 'email' | 'username' | 'roleId' | 'passwordHash'> &
  Partial<
    Pick<
      UserRecord,
      'firstName' | 'lastName' | 'language' | 'externalId' | 'isBootstrap' | 'adminToken' | 'passwordReset'
    >
  >;

/** What can be changed of a user's description. */
export type ProfileChanges = Partial<
  Pick<UserRecord, 'email' | 'username' | 'firstName' | 'lastName' | 'language' | 'externalId'>
>;

/** The state a user must be in for an update to happen. */
export type UserGuard = Partial<Pick<UserRecord, 'roleId' | 'adminToken' | 'passwordHash' | 'email'>>;

export type UserChanges = ProfileChanges & Partial<Pick<UserRecord, 'roleId' | 'adminToken' | 'isEmailUnproven'>>;

export interface UserFilter {
  readonly roleId?: string | undefined;
  readonly hasTwoFactor?: boolean | undefined;
  /** Normalised. */
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
}

/** A deletion that searches for obstacles longer than this is abandoned. */
export const deletionClaimTtlMs = 60_000;

/** Whether a deletion is claimed: such a user gets nothing new from other services. */
export function isDeletionClaimed({ deletion }: UserRecord, now: Date): boolean {
  return deletion !== null && now.getTime() - deletion.at.getTime() < deletionClaimTtlMs;
}
