import { type Actor, createOnce } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { roleNameKey, type RoleRecord } from '../../domain/role.js';
import type { CountedRole } from './get-role.js';
import { requireGrantable } from '../../domain/authorization.js';

type RoleTerms = Pick<RoleRecord, 'name' | 'description' | 'permissions' | 'rateLimitMultiplier'>;

/** Throws PERMISSION_EXCEEDS_OWN, ROLE_NAME_TAKEN. */
export async function createRole(
  context: IdentityContext,
  actor: Actor,
  terms: RoleTerms,
  idempotencyId: string | undefined,
): Promise<CountedRole> {
  requireGrantable(actor, terms.permissions, 'a role cannot have permissions its creator lacks');
  const { object: role, isNew } = await createOnce(idempotencyId, {
    find: async (id) => context.roles.findById(id),
    create: async (id) => insert(context, id, terms),
  });
  if (!isNew) return { role, usersCount: await context.users.countByRole(role.id) };
  context.log.info({ roleId: role.id }, 'role created');
  await context.activity.record({ event: 'role:create', properties: { name: role.name } }, actor);
  return { role, usersCount: 0 };
}

async function insert({ clock, roles }: IdentityContext, id: string, terms: RoleTerms): Promise<RoleRecord> {
  const now = clock();
  const role = {
    id,
    ...terms,
    nameKey: roleNameKey(terms.name),
    isSystem: false,
    deletingAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await roles.insert(role);
  return role;
}
