import { parsePage } from '@panel/kit/mongo';
import { type ListUsersRequest, User, type UserServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import type { UserFilter } from '../../domain/user.js';
import { presentUser } from '../../present/user.js';
import { listUsers } from '../../usecases/users/list-users.js';

const sortable = { created_at: 'createdAt', email: 'email', username: 'usernameKey', last_login_at: 'lastLoginAt' };

export function handleListUsers(context: IdentityContext): Handler<typeof UserServiceService.listUsers> {
  return async (request, call) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await listUsers(context, call.actor, readFilter(request), page);
    return {
      users: presentEach(call, items, presentUser, User),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}

function readFilter({ roleId, twoFactorEnabled, email, externalId }: ListUsersRequest): UserFilter {
  return {
    roleId: roleId || undefined,
    hasTwoFactor: twoFactorEnabled,
    email: normaliseEmail(email) || undefined,
    externalId: externalId || undefined,
  };
}
