import type { ServerPermission } from '@panel/protos/permissions';
import type { PathRule } from '@panel/rpc';
import { findBuiltInRole } from './roles.js';

/** Or an invited address. */
export interface Subuser {
  readonly id: string;
  /** Null while invited. */
  readonly userId: string | null;
  /** Normalised; null once there is a user. */
  readonly email: string | null;
  /** Null: own permissions. */
  readonly roleId: string | null;
  /** Own, or copied from the role. */
  readonly permissions: readonly ServerPermission[];
  readonly pathRules: readonly PathRule[];
  /** Of the granting user. */
  readonly inheritedPathRules: readonly (readonly PathRule[])[];
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** Of the access or the invitation. */
  readonly endsAt: Date | null;
  /** Grows with each change of permissions. */
  readonly revision: number;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const maxSubusers = 50;
const invitationMs = 7 * 24 * 3_600_000;

export interface AccessFacts {
  /** The owner. */
  readonly userId: string;
  readonly subusers: readonly Subuser[];
}

/** A backup holds all files: path rules have no effect. */
const allFiles: readonly ServerPermission[] = ['backup.download', 'backup.restore'];

/** A damaged record has none. */
export function currentSubusers(subusers: readonly Subuser[] | undefined, at: Date): readonly Subuser[] {
  if (!subusers || subusers.length === 0) return [];
  return subusers.filter(({ endsAt }) => endsAt === null || endsAt > at);
}

/** All lists must allow a file. */
export function pathRulesOf({
  pathRules,
  inheritedPathRules,
}: Pick<Subuser, 'pathRules' | 'inheritedPathRules'>): readonly (readonly PathRule[])[] {
  return pathRules.length === 0 ? inheritedPathRules : [pathRules, ...inheritedPathRules];
}

export function permissionsOf(subuser: Subuser): readonly ServerPermission[] {
  const { roleId, permissions } = subuser;
  const given = (roleId === null ? undefined : findBuiltInRole(roleId)?.permissions) ?? permissions;
  return pathRulesOf(subuser).length === 0 ? given : given.filter((permission) => !allFiles.includes(permission));
}

export function subuserEnd({
  userId,
  expiresAt,
  createdAt,
}: Pick<Subuser, 'userId' | 'expiresAt' | 'createdAt'>): Date | null {
  if (userId !== null) return expiresAt;
  const invitationDeadline = createdAt.getTime() + invitationMs;
  return new Date(Math.min(invitationDeadline, expiresAt?.getTime() ?? invitationDeadline));
}
