import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { revokeSession } from '../../usecases/sessions/end-session.js';

export function handleRevokeSession(context: IdentityContext): Handler<typeof AccountServiceService.revokeSession> {
  return async ({ sessionId }, { actor }) => {
    const { userId } = requireUser(actor);
    await revokeSession(context, actor, { userId, sessionId });
    return {};
  };
}
