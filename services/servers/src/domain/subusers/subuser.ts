import type { ServerPermission } from '@panel/protos/permissions';
import type { PathRule } from '@panel/rpc';
import { findBuiltInRole } from './roles.js';

/** A user with access to a server of another user, or an address that is invited to it. */
export interface Subuser {
  readonly id: string;
  /** Null while invited. */
  readonly userId: string | null;
  /** The address that is invited, normalised; null once there is a user. */
  readonly email: string | null;
  /** The role that gives the permissions; null: a set of their own. */
  readonly roleId: string | null;
  /** Their own, or a copy of those of their role, so that access needs no second look-up. */
  readonly permissions: readonly ServerPermission[];
  readonly pathRules: readonly PathRule[];
  /** Lists that bind the user who granted the access. */
  readonly inheritedPathRules: readonly (readonly PathRule[])[];
  /** When the access ends by itself; null: never. */
  readonly expiresAt: Date | null;
  /** When the entry is removed: the access ends, or the invitation. */
  readonly endsAt: Date | null;
  /** Grows with each change of what the subuser may do. */
  readonly revision: number;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const maxSubusers = 50;
/** How long an invitation waits for an account. */
const invitationMs = 7 * 24 * 3_600_000;

/** What access to a server is decided from. */
export interface AccessFacts {
  /** The owner. */
  readonly userId: string;
  readonly subusers: readonly Subuser[];
}

/** A backup holds every file: path rules would have no effect on reading or restoring one. */
const allFiles: readonly ServerPermission[] = ['backup.download', 'backup.restore'];

/** The subusers whose access, or invitation, has not ended; a damaged record is without any. */
export function currentSubusers(subusers: readonly Subuser[] | undefined, at: Date): readonly Subuser[] {
  if (!subusers || subusers.length === 0) return [];
  return subusers.filter(({ endsAt }) => endsAt === null || endsAt > at);
}

/** All of these lists have to allow a file. */
export function pathRulesOf({
  pathRules,
  inheritedPathRules,
}: Pick<Subuser, 'pathRules' | 'inheritedPathRules'>): readonly (readonly PathRule[])[] {
  return pathRules.length === 0 ? inheritedPathRules : [pathRules, ...inheritedPathRules];
}

/** What a subuser may do. */
export function permissionsOf(subuser: Subuser): readonly ServerPermission[] {
  const { roleId, permissions } = subuser;
  const given = (roleId === null ? undefined : findBuiltInRole(roleId)?.permissions) ?? permissions;
  return pathRulesOf(subuser).length === 0 ? given : given.filter((permission) => !allFiles.includes(permission));
}

/** When the entry is removed: an invitation expires after `invitationMs`. */
export function subuserEnd({
  userId,
  expiresAt,
  createdAt,
}: Pick<Subuser, 'userId' | 'expiresAt' | 'createdAt'>): Date | null {
  if (userId !== null) return expiresAt;
  const invitationDeadline = createdAt.getTime() + invitationMs;
  return new Date(Math.min(invitationDeadline, expiresAt?.getTime() ?? invitationDeadline));
}
