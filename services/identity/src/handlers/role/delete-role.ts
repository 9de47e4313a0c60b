import type { RoleServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteRole as remove } from '../../usecases/roles/delete-role.js';

export function deleteRole(context: IdentityContext): Handler<typeof RoleServiceService.deleteRole> {
  return async ({ roleId }, { actor }) => {
    await remove(context, actor, roleId);
    return {};
  };
}
