import type { PathAccess, PathRule } from '@panel/rpc';
import {
  type PathRule as PathRuleMessage,
  PathRule_Access,
  type Subuser as SubuserMessage,
  type SubuserRole as SubuserRoleMessage,
  Subuser_Status,
} from '@panel/protos/servers';
import { invalidFields } from '@panel/kit/errors';
import type { GameServer } from '../domain/servers/server.js';
import { findBuiltInRole, findRole, type SubuserRole } from '../domain/subusers/roles.js';
import { permissionsOf, type Subuser } from '../domain/subusers/subuser.js';
import type { KnownUser } from '../users/user-directory.js';

const accesses: Readonly<Record<PathAccess, PathRule_Access>> = {
  allow: PathRule_Access.ALLOW,
  read_only: PathRule_Access.READ_ONLY,
  deny: PathRule_Access.DENY,
};

/** `user` is absent for invitations, and for a user who is just being deleted. */
export function presentSubuser(
  server: Pick<GameServer, 'subuserRoles'>,
  subuser: Subuser,
  user: KnownUser | undefined,
): SubuserMessage {
  const role = subuser.roleId === null ? undefined : findRole(server.subuserRoles, subuser.roleId);
  return {
    id: subuser.id,
    userId: subuser.userId ?? '',
    email: user?.email ?? subuser.email ?? '',
    username: user?.username ?? '',
    status: subuser.userId === null ? Subuser_Status.INVITED : Subuser_Status.ACTIVE,
    permissions: [...permissionsOf(subuser)],
    role: role && presentSubuserRole(role),
    pathRules: subuser.pathRules.map(presentPathRule),
    inheritedPathRules: subuser.inheritedPathRules.map((rules) => ({ rules: rules.map(presentPathRule) })),
    expireTime: subuser.expiresAt ?? undefined,
    createTime: subuser.createdAt,
    updateTime: subuser.updatedAt,
  };
}

function presentPathRule({ path, access }: PathRule): PathRuleMessage {
  return { path, access: accesses[access] };
}

export function presentSubuserRole({ id, name, permissions }: SubuserRole): SubuserRoleMessage {
  return { id, name, permissions: [...permissions], builtIn: findBuiltInRole(id) !== undefined };
}

/** Throws INVALID_FIELDS for a rule without an access. */
export function readPathRules(rules: readonly PathRuleMessage[]): PathRule[] {
  return rules.map(({ path, access }, i) => {
    const named = (Object.keys(accesses) as PathAccess[]).find((name) => accesses[name] === access);
    if (!named) throw invalidFields({ [`path_rules.${i}.access`]: ['must be allow, read_only or deny'] });
    return { path, access: named };
  });
}
