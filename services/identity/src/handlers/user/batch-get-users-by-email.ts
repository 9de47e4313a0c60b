import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { presentUser } from '../../present/user.js';
import { batchGetUsersByEmail } from '../../usecases/users/list-users.js';

const maxEmails = 100;

export function handleBatchGetUsersByEmail(
  context: IdentityContext,
): Handler<typeof UserServiceService.batchGetUsersByEmail> {
  return async ({ emails }) => {
    if (emails.length > maxEmails)
      throw invalidFields({ emails: [fieldProblem('too_long', `must be at most ${maxEmails}`)] });
    const users = await batchGetUsersByEmail(context, emails.map(normaliseEmail));
    return { users: users.map(presentUser) };
  };
}
