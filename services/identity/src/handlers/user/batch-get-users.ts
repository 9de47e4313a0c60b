import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentUser } from '../../present/user.js';
import { batchGetUsers } from '../../usecases/users/list-users.js';

const maxIds = 100;

export function handleBatchGetUsers(context: IdentityContext): Handler<typeof UserServiceService.batchGetUsers> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds)
      throw invalidFields({ user_ids: [fieldProblem('too_long', `must be at most ${maxIds}`)] });
    const users = await batchGetUsers(context, userIds);
    return { users: users.map(presentUser) };
  };
}
