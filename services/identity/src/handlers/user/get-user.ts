import { type Actor, type Handler, requirePermission } from '@panel/rpc';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { staleClaimMs } from '../../domain/deletion.js';
import { roleOf } from '../../domain/rights.js';
import { countForPeople } from '../../domain/servers-count.js';
import type { UserDocument } from '../../models/user.js';
import { presentUser } from '../../present.js';
import { fail } from '../../reasons.js';

export function getUser(context: IdentityContext): Handler<typeof UserServiceService.getUser> {
  return async ({ userId }, { actor }) => {
    requirePermission(actor, 'users.view');
    const user = await context.users.findById(userId);
    if (!user || isHidden(user, actor, context.clock())) throw fail('USER_NOT_FOUND', 'no such user');
    const countOf = await countForPeople(context, actor, [user]);
    return { user: presentUser(user, await roleOf(context, user), countOf(user)) };
  };
}

/** Somebody about to be deleted gets nothing new: services look a user up before they make something for it. */
function isHidden({ deletion }: UserDocument, actor: Actor, now: Date): boolean {
  return actor.kind === 'service' && deletion !== null && now.getTime() - deletion.at.getTime() < staleClaimMs;
}
