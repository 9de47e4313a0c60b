import { parsePage } from '@panel/kit/mongo';
import { User, type UserServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { presentUser } from '../../present/user.js';
import { loadRoles } from '../../usecases/authorization/authorization.js';
import { countServersFor } from '../../usecases/users/count-servers.js';

const sortable = { created_at: 'createdAt', email: 'email', username: 'usernameKey', last_login_at: 'lastLoginAt' };

export function listUsers(context: IdentityContext): Handler<typeof UserServiceService.listUsers> {
  return async (request, call) => {
    const { actor } = call;
    const page = parsePage(request.page, sortable);
    const filter = {
      roleId: request.roleId || undefined,
      hasTwoFactor: request.twoFactorEnabled,
      email: normaliseEmail(request.email) || undefined,
      externalId: request.externalId || undefined,
    };
    const { items, total } = await context.users.list(filter, page);
    const [roleOf, countOf] = await Promise.all([loadRoles(context, items), countServersFor(context, actor, items)]);
    return {
      users: presentEach(call, items, (user) => presentUser(user, roleOf(user), countOf(user)), User),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
