import type { UserServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { isDeletionClaimed } from '../../domain/user.js';
import { presentUser } from '../../present/user.js';
import { fail } from '../../reasons.js';
import { loadRole } from '../../usecases/authorization/authorization.js';
import { countServersFor } from '../../usecases/users/count-servers.js';

/** A user whose deletion is claimed is hidden from services: they read a user before they create something for it. */
export function getUser(context: IdentityContext): Handler<typeof UserServiceService.getUser> {
  return async ({ userId }, { actor }) => {
    const user = await context.users.findById(userId);
    const isHidden = user !== null && actor.kind === 'service' && isDeletionClaimed(user, context.clock());
    if (!user || isHidden) throw fail('USER_NOT_FOUND', 'no such user');
    const countOf = await countServersFor(context, actor, [user]);
    return { user: presentUser(user, await loadRole(context, user), countOf(user)) };
  };
}
