import { invalidFields } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentUser } from '../../present/user.js';
import { loadRoles } from '../../usecases/authorization/authorization.js';

const maxIds = 100;

export function batchGetUsers(context: IdentityContext): Handler<typeof UserServiceService.batchGetUsers> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw invalidFields({ user_ids: [`must be at most ${maxIds}`] });
    const users = await context.users.findByIds(userIds);
    const roleOf = await loadRoles(context, users);
    return { users: users.map((user) => presentUser(user, roleOf(user))) };
  };
}
