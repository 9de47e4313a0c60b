import { RoleServiceService } from '@panel/protos/identity';
import { serve, type ServedService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { handleCreateRole } from './create-role.js';
import { handleDeleteRole } from './delete-role.js';
import { handleGetRole } from './get-role.js';
import { handleListRoles } from './list-roles.js';
import { handleUpdateRole } from './update-role.js';

export function createRoleService(context: IdentityContext): ServedService {
  return serve(RoleServiceService, {
    listRoles: handleListRoles(context),
    getRole: handleGetRole(context),
    createRole: handleCreateRole(context),
    updateRole: handleUpdateRole(context),
    deleteRole: handleDeleteRole(context),
  });
}
