import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { fail } from '../../reasons.js';

export function revokeSession(context: IdentityContext): Handler<typeof AccountServiceService.revokeSession> {
  const { sessions, epochs } = context;
  return async ({ sessionId }, { actor, log }) => {
    const { userId } = requireUser(actor);
    if (!(await sessions.remove(sessionId, userId))) throw fail('SESSION_NOT_FOUND', 'no such session');
    await epochs.changed(userId);
    log.info({ userId, sessionId }, 'session revoked');
    record(context, { event: 'user:session.revoke', actor, userId });
    return {};
  };
}
