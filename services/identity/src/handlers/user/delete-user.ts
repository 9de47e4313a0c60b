import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteUser } from '../../usecases/users/delete-user.js';

export function handleDeleteUser(context: IdentityContext): Handler<typeof UserServiceService.deleteUser> {
  return async ({ userId, force }, { actor }) => {
    await deleteUser(context, actor, { userId, force });
    return {};
  };
}
