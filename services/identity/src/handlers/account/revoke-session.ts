import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { revokeSession as revoke } from '../../usecases/sessions/end-session.js';

export function revokeSession(context: IdentityContext): Handler<typeof AccountServiceService.revokeSession> {
  return async ({ sessionId }, { actor }) => {
    const { userId } = requireUser(actor);
    await revoke(context, actor, { userId, sessionId });
    return {};
  };
}
