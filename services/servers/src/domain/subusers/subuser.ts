import {
  count,
  date,
  type Field,
  id,
  listOf,
  mixed,
  oneOf,
  orNull,
  part,
  type RecordOf,
  text,
} from '@panel/kit/records';
import type { ServerPermission } from '@panel/protos/permissions';
import { pathAccesses, type PathRule } from '@panel/rpc';
import { findBuiltInRole } from './roles.js';

const pathRuleFields = {
  path: text,
  access: oneOf(pathAccesses),
};

/** Or an invited address. */
export const subuserFields = {
  id,
  /** Null while invited. */
  userId: orNull(text),
  /** Normalised; null once there is a user. */
  email: orNull(text),
  /** Null: own permissions. */
  roleId: orNull(text),
  /** Own, or copied from the role. */
  permissions: listOf(text as Field<ServerPermission>),
  pathRules: listOf(part(pathRuleFields)),
  /** Of the granting user. */
  inheritedPathRules: mixed<readonly (readonly PathRule[])[]>(),
  /** Null: never. */
  expiresAt: orNull(date),
  /** Of the access or the invitation. */
  endsAt: orNull(date),
  /** Grows with each change of permissions. */
  revision: count,
  invitedBy: id,
  createdAt: date,
  updatedAt: date,
};
export type Subuser = RecordOf<typeof subuserFields>;

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
