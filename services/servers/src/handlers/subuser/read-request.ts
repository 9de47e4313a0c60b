import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { wordOf } from '@panel/kit/records';
import {
  type CreateSubuserRequest,
  type PathRule as PathRuleMessage,
  PathRule_Access,
  type UpdateSubuserRequest,
} from '@panel/protos/servers';
import type { PathRule } from '@panel/rpc';
import type { NewSubuser } from '../../usecases/subusers/create-subuser.js';
import type { GrantRequest } from '../../domain/subusers/resolve-grant.js';
import type { SubuserUpdate } from '../../usecases/subusers/update-subuser.js';

/** Throws INVALID_FIELDS. */
export function readNewSubuser(request: CreateSubuserRequest): NewSubuser {
  const { email, permissions, roleId, pathRules, expireTime } = request;
  return { email, permissions, roleId, pathRules: readPathRules(pathRules), expiresAt: expireTime ?? null };
}

/** Throws INVALID_FIELDS. */
export function readSubuserUpdate({ grant, pathRules, expiry }: UpdateSubuserRequest): SubuserUpdate {
  return {
    grant: readGrant(grant),
    pathRules: pathRules && readPathRules(pathRules.rules),
    expiresAt: expiry && (expiry.expireTime ?? null),
  };
}

function readGrant(grant: UpdateSubuserRequest['grant']): GrantRequest | undefined {
  if (grant === undefined) return undefined;
  return grant.$case === 'roleId'
    ? { roleId: grant.value, permissions: [] }
    : { roleId: '', permissions: grant.value.permissions };
}

/** Throws INVALID_FIELDS. */
function readPathRules(rules: readonly PathRuleMessage[]): PathRule[] {
  return rules.map(({ path, access }, i) => {
    const named = wordOf(PathRule_Access, access);
    if (!named)
      throw invalidFields({
        [`path_rules.${i}.access`]: [fieldProblem('not_allowed', 'must be allow, read_only or deny')],
      });
    return { path, access: named };
  });
}
