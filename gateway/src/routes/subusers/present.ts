import { PathRule_Access, type PathRule, type Subuser, type SubuserRole } from '@panel/protos/servers';
import type { z } from 'zod';
import { enumWord, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { pathAccesses, subuser, subuserRole, subuserStatuses } from './schema.js';

type PathAccessWord = (typeof pathAccesses)[number];

const accesses: Readonly<Record<PathAccessWord, PathRule_Access>> = {
  allow: PathRule_Access.ALLOW,
  read_only: PathRule_Access.READ_ONLY,
  deny: PathRule_Access.DENY,
};

export function presentSubuser(message: Subuser | undefined): z.input<typeof subuser> {
  const found = required(message, 'subuser');
  return {
    id: found.id,
    user: { id: textOrNull(found.userId), email: found.email, username: textOrNull(found.username) },
    permissions: found.permissions,
    role: found.role ? { id: found.role.id, name: found.role.name } : null,
    path_rules: found.pathRules.map(presentPathRule),
    inherited_path_rules: found.inheritedPathRules.map(({ rules }) => rules.map(presentPathRule)),
    status: statusWord(found),
    expires_at: isoTime(found.expireTime),
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

function presentPathRule({ path, access }: PathRule) {
  return { path, access: enumWord(access, 'ACCESS_') as PathAccessWord };
}

export function presentRole(message: SubuserRole | undefined): z.input<typeof subuserRole> {
  const { id, name, permissions, builtIn } = required(message, 'role');
  return { id, name, permissions, built_in: builtIn };
}

export function pathRulesOf(rules: readonly { path: string; access: PathAccessWord }[]): PathRule[] {
  return rules.map(({ path, access }) => ({ path, access: accesses[access] }));
}

function statusWord({ status }: Subuser): (typeof subuserStatuses)[number] {
  return enumWord(status, 'STATUS_') as (typeof subuserStatuses)[number];
}
