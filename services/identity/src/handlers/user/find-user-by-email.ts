import { type Handler, requireService } from '@panel/rpc';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { roleOf } from '../../domain/rights.js';
import { presentUser } from '../../present.js';
import { fail } from '../../reasons.js';

export function findUserByEmail(context: IdentityContext): Handler<typeof UserServiceService.findUserByEmail> {
  return async ({ email }, { actor }) => {
    requireService(actor);
    const user = await context.users.findByEmail(normaliseEmail(email));
    if (!user) throw fail('USER_NOT_FOUND', 'no such user');
    return { user: presentUser(user, await roleOf(context, user)) };
  };
}
