import { parsePage } from '@panel/kit/mongo';
import { Role, type RoleServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { RoleRecord } from '../../domain/role.js';
import { presentRole } from '../../present/role.js';

const sortable = { created_at: 'createdAt', name: 'nameKey' };

export function listRoles({ roles, users }: IdentityContext): Handler<typeof RoleServiceService.listRoles> {
  return async (request, call) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await roles.list(page);
    const counts = new Map(
      await Promise.all(items.map(async ({ _id }) => [_id, await users.countByRole(_id)] as const)),
    );
    const present = (role: RoleRecord) => presentRole(role, counts.get(role._id) ?? 0);
    return { roles: presentEach(call, items, present, Role), page: { page: page.page, perPage: page.perPage, total } };
  };
}
