import type { CredentialServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';
import { revokeAllSessions } from '../../usecases/sessions/end-session.js';

export function revokeUserSessions(
  context: IdentityContext,
): Handler<typeof CredentialServiceService.revokeUserSessions> {
  return async ({ userId }, { actor, log }) => {
    const { user } = await loadTargetUser(context, actor, userId);
    await revokeAllSessions(context, actor, user);
    log.info({ userId }, 'all sessions of a user ended by an administrator');
    return {};
  };
}
