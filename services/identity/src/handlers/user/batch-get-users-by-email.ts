import { invalidFields } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { isDeletionClaimed } from '../../domain/user.js';
import { presentUser } from '../../present/user.js';
import { loadRoles } from '../../usecases/authorization/authorization.js';

const maxEmails = 100;

export function batchGetUsersByEmail(
  context: IdentityContext,
): Handler<typeof UserServiceService.batchGetUsersByEmail> {
  return async ({ emails }) => {
    if (emails.length > maxEmails) throw invalidFields({ emails: [`must be at most ${maxEmails}`] });
    const now = context.clock();
    const found = await context.users.findByEmails(emails.map(normaliseEmail));
    const users = found.filter((user) => !isDeletionClaimed(user, now));
    const roleOf = await loadRoles(context, users);
    return { users: users.map((user) => presentUser(user, roleOf(user))) };
  };
}
