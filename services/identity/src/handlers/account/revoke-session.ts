import { type Handler, requireUser } from '@panel/kit';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

export function revokeSession({
  sessions,
  epochs,
}: IdentityContext): Handler<typeof AccountServiceService.revokeSession> {
  return async ({ sessionId }, { actor, log }) => {
    const { userId } = requireUser(actor);
    if (!(await sessions.remove(sessionId, userId))) throw fail('SESSION_NOT_FOUND', 'no such session');
    await epochs.changed(userId);
    log.info({ userId, sessionId }, 'session revoked');
    return {};
  };
}
