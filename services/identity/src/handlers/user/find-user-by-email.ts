import type { UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { presentUser } from '../../present/user.js';
import { fail } from '../../reasons.js';
import { loadRole } from '../../usecases/authorization/authorization.js';

export function findUserByEmail(context: IdentityContext): Handler<typeof UserServiceService.findUserByEmail> {
  return async ({ email }) => {
    const user = await context.users.findByEmail(normaliseEmail(email));
    if (!user) throw fail('USER_NOT_FOUND', 'no such user');
    return { user: presentUser(user, await loadRole(context, user)) };
  };
}
