import { isAppError } from '@panel/kit';
import type { RoleServiceService, UserServiceService } from '@panel/protos/identity';
import type { Client } from '@panel/rpc';
import { accessTo } from '../../domain/servers/access.js';
import type { PermissionsOf } from './ports.js';

export interface AuthorPermissionsDeps {
  readonly users: Pick<Client<typeof UserServiceService>, 'getUser'>;
  readonly roles: Pick<Client<typeof RoleServiceService>, 'getRole'>;
}

const timeoutMs = 3_000;

/** What the author of a schedule may do at the time of a run: by ownership, else by the role. */
export function createPermissionsOf({ users, roles }: AuthorPermissionsDeps): PermissionsOf {
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
  return async (server, userId) => {
    // The owner holds everything: nobody has to be asked.
    const permissions = userId === server.userId ? [] : await rolePermissions(userId);
    const actor = { kind: 'user', userId, permissions, method: 'session', credentialId: '', ip: '' } as const;
    return accessTo(server, actor)?.permissions ?? [];
  };
}
