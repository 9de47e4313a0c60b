import { enumOf } from '@panel/kit/records';
import type { PathRule } from '@panel/rpc';
import {
  type PathRule as PathRuleMessage,
  PathRule_Access,
  type Subuser as SubuserMessage,
  type SubuserRole as SubuserRoleMessage,
  Subuser_Status,
} from '@panel/protos/servers';
import { findBuiltInRole, type SubuserRole } from '../domain/subusers/roles.js';
import { permissionsOf } from '../domain/subusers/subuser.js';
import type { VisibleSubuser } from '../usecases/subusers/list-subusers.js';

export function presentSubuser(subuser: VisibleSubuser): SubuserMessage {
  const { role, user } = subuser;
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
    inviterId: subuser.invitedBy,
    createTime: subuser.createdAt,
    updateTime: subuser.updatedAt,
  };
}

function presentPathRule({ path, access }: PathRule): PathRuleMessage {
  return { path, access: enumOf(PathRule_Access, access) };
}

export function presentSubuserRole({ id, name, permissions }: SubuserRole): SubuserRoleMessage {
  return { id, name, permissions: [...permissions], builtIn: findBuiltInRole(id) !== undefined };
}
