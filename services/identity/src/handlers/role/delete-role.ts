import type { RoleServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteRole } from '../../usecases/roles/delete-role.js';

export function handleDeleteRole(context: IdentityContext): Handler<typeof RoleServiceService.deleteRole> {
  return async ({ roleId }, { actor }) => {
    await deleteRole(context, actor, roleId);
    return {};
  };
}
