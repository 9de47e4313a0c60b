import { parsePage } from '@panel/kit/mongo';
import { Role, type RoleServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentRole } from '../../present/role.js';
import { listRoles } from '../../usecases/roles/get-role.js';

const sortable = { created_at: 'createdAt', name: 'nameKey' };

export function handleListRoles(context: IdentityContext): Handler<typeof RoleServiceService.listRoles> {
  return async (request, call) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await listRoles(context, page);
    return {
      roles: presentEach(call, items, presentRole, Role),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
