import { parsePage } from '@panel/kit';
import type { RoleServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentRole } from '../../present/role.js';

const sortable = { created_at: 'createdAt', name: 'nameKey' };

export function listRoles({ roles, users }: IdentityContext): Handler<typeof RoleServiceService.listRoles> {
  return async (request) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await roles.list(page);
    const presented = items.map(async (role) => presentRole(role, await users.countByRole(role._id)));
    return { roles: await Promise.all(presented), page: { page: page.page, perPage: page.perPage, total } };
  };
}
