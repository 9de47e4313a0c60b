import { isAppError } from '@panel/kit/errors';
import type { RoleServiceService, UserServiceService } from '@panel/protos/identity';
import type { Client } from '@panel/rpc';
import { accessTo, allows } from '../domain/servers/access.js';
import type { HoldsPermission } from './dependencies.js';

interface AuthorPermissionsDeps {
  readonly users: Pick<Client<typeof UserServiceService>, 'getUser'>;
  readonly roles: Pick<Client<typeof RoleServiceService>, 'getRole'>;
}

const timeoutMs = 3_000;

/** The author's permissions at a run: as owner or subuser, else by role. */
export function createHoldsPermission({ users, roles }: AuthorPermissionsDeps): HoldsPermission {
  const rolePermissions = async (userId: string): Promise<readonly string[]> => {
    try {
      const { user } = await users.getUser({ userId }, { timeoutMs });
      if (!user?.role) return [];
      const { role } = await roles.getRole({ roleId: user.role.id }, { timeoutMs });
      return role?.permissions ?? [];
    } catch (error) {
      if (isAppError(error) && error.kind === 'not_found') return [];
      throw error;
    }
  };
  return async (server, userId, permission) => {
    const holds = (permissions: readonly string[]) => {
      const access = accessTo(server, {
        kind: 'user',
        userId,
        permissions,
        method: 'session',
        credentialId: '',
        ip: '',
      });
      return access !== null && allows(access, permission);
    };
    // The server's own facts need no call.
    return holds([]) || holds(await rolePermissions(userId));
  };
}
