import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';
import { deleteUser as remove } from '../../usecases/users/delete-user.js';

export function deleteUser(context: IdentityContext): Handler<typeof UserServiceService.deleteUser> {
  return async ({ userId }, { actor }) => {
    const { user } = await loadTargetUser(context, actor, userId);
    await remove(context, actor, user);
    return {};
  };
}
