import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentUser } from '../../present/user.js';
import { getUser } from '../../usecases/users/get-user.js';

export function handleGetUser(context: IdentityContext): Handler<typeof UserServiceService.getUser> {
  return async ({ userId }, { actor }) => ({ user: presentUser(await getUser(context, actor, userId)) });
}
