/** Enabled two-factor authentication. */
export interface TwoFactor {
  /** Sealed. */
  readonly secret: string;
  /** Last accepted time step: earlier or equal ones are refused. */
  readonly lastStep: number;
  /** Of unused recovery codes. */
  readonly recoveryHashes: readonly string[];
  readonly enabledAt: Date;
}

export interface UserRecord {
  readonly id: string;
  /** Normalised, unique. */
  readonly email: string;
  /** Self-assigned address without proof of ownership. */
  readonly isEmailUnproven?: boolean;
  readonly username: string;
  /** Unique form. */
  readonly usernameKey: string;
  readonly firstName: string;
  readonly lastName: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly roleId: string;
  /** Admins only: entry in the roster (models/admin-roster.ts). */
  readonly adminToken: string | null;
  /** argon2id; null: no password yet. */
  readonly passwordHash: string | null;
  /**
   * A session is over in any epoch but its own, except `keptSessionId`: one atomic update changes a password and ends
   * all other sessions.
   */
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly twoFactor: TwoFactor | null;
  /** Waiting for its first code. */
  readonly twoFactorSetup: { readonly secret: string; readonly startedAt: Date } | null;
  /** The only valid password link. */
  readonly passwordReset: { readonly hash: string; readonly expiresAt: Date } | null;
  /** Addresses of recent sign-ins, accepted while the account is throttled. */
  readonly knownIps: readonly string[];
  readonly externalId: string | null;
  /** First admin only: a unique index prevents a second one by concurrent launchers. */
  readonly isBootstrap?: true;
  /** `checking`: claimed, checks obstacles. `decided`: deleted for every caller, purge in progress. */
  readonly deletion: { readonly state: 'checking' | 'decided'; readonly at: Date } | null;
  readonly lastLoginAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The rest has defaults. */
export type NewUser = Pick<UserRecord, 'id' | 'email' | 'username' | 'roleId' | 'passwordHash'> &
  Partial<
    Pick<
      UserRecord,
      'firstName' | 'lastName' | 'language' | 'externalId' | 'isBootstrap' | 'adminToken' | 'passwordReset'
    >
  >;

export type ProfileChanges = Partial<
  Pick<UserRecord, 'email' | 'username' | 'firstName' | 'lastName' | 'language' | 'externalId'>
>;

/** Precondition of an update. */
export type UserGuard = Partial<Pick<UserRecord, 'roleId' | 'adminToken' | 'passwordHash' | 'email'>>;

export type UserChanges = ProfileChanges & Partial<Pick<UserRecord, 'roleId' | 'adminToken' | 'isEmailUnproven'>>;

export interface UserFilter {
  readonly roleId?: string | undefined;
  readonly hasTwoFactor?: boolean | undefined;
  /** Normalised. */
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
}

/** A longer check of obstacles is abandoned. */
export const deletionClaimTtlMs = 60_000;

/** Other services must create nothing for such a user. */
export function isDeletionClaimed({ deletion }: UserRecord, now: Date): boolean {
  return deletion !== null && now.getTime() - deletion.at.getTime() < deletionClaimTtlMs;
}
