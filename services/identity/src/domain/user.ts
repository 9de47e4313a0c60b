import {
  date,
  type Field,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
} from '@panel/kit/records';

/** Enabled two-factor authentication. */
const twoFactorFields = {
  /** Sealed. */
  secret: id,
  /** Last accepted time step: earlier or equal ones are refused. */
  lastStep: number,
  /** Of unused recovery codes. */
  recoveryHashes: listOf(text),
  enabledAt: date,
};
export type TwoFactor = RecordOf<typeof twoFactorFields>;

export const userFields = {
  id,
  /** Normalised, unique. */
  email: id,
  /** Self-assigned address without proof of ownership. */
  isEmailUnproven: optional(flag),
  username: id,
  /** Unique form. */
  usernameKey: id,
  firstName: text,
  lastName: text,
  /** BCP 47 tag. */
  language: id,
  roleId: id,
  /** Admins only: entry in the roster (models/admin-roster.ts). */
  adminToken: orNull(text),
  /** argon2id; null: no password yet. */
  passwordHash: orNull(text),
  /**
   * A session is over in any epoch but its own, except `keptSessionId`: one atomic update changes a password and ends
   * all other sessions.
   */
  sessionEpoch: number,
  retainedSessionId: orNull(text),
  twoFactor: orNull(part(twoFactorFields)),
  /** Waiting for its first code. */
  twoFactorSetup: orNull(part({ secret: id, startedAt: date })),
  /** The only valid password link. */
  passwordReset: orNull(part({ hash: id, expiresAt: date })),
  /** Addresses of recent sign-ins, accepted while the account is throttled. */
  knownIps: listOf(text),
  externalId: orNull(text),
  /** First admin only: a unique index prevents a second one by concurrent launchers. */
  isBootstrap: optional(flag as Field<true>),
  /** `checking`: claimed, checks obstacles. `decided`: deleted for every caller, purge in progress. */
  deletion: orNull(part({ state: oneOf(['checking', 'decided']), at: date })),
  lastLoginAt: orNull(date),
  createdAt: date,
  updatedAt: date,
};
export type UserRecord = RecordOf<typeof userFields>;

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
