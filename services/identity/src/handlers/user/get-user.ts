import { type Handler, requirePermission } from '@panel/kit';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { roleOf } from '../../domain/rights.js';
import { presentUser } from '../../present.js';
import { fail } from '../../reasons.js';

export function getUser(context: IdentityContext): Handler<typeof UserServiceService.getUser> {
  return async ({ userId }, { actor }) => {
    requirePermission(actor, 'users.view');
    const user = await context.users.findById(userId);
    if (!user) throw fail('USER_NOT_FOUND', 'no such user');
    return { user: presentUser(user, await roleOf(context, user)) };
  };
}
