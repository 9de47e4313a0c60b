import type { PageQuery } from '@panel/kit/mongo';
import type { IdentityContext } from '../../context.js';
import type { RoleRecord } from '../../domain/role.js';
import { fail } from '../../reasons.js';

export interface CountedRole {
  readonly role: RoleRecord;
  readonly usersCount: number;
}

/** Throws ROLE_NOT_FOUND. */
export async function getRole({ roles, users }: IdentityContext, roleId: string): Promise<CountedRole> {
  const role = await roles.findById(roleId);
  if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
  return { role, usersCount: await users.countByRole(roleId) };
}

export async function listRoles(
  { roles, users }: IdentityContext,
  page: PageQuery,
): Promise<{ readonly items: CountedRole[]; readonly total: number }> {
  const { items, total } = await roles.list(page);
  const counted = items.map(async (role) => ({ role, usersCount: await users.countByRole(role.id) }));
  return { items: await Promise.all(counted), total };
}
