import type { Handler } from '@panel/rpc';
import type { CredentialServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { subjectOf } from '../../domain/rights.js';
import { sweepSessions } from '../../domain/sign-in.js';
import { fail } from '../../reasons.js';

export function revokeUserSessions(
  context: IdentityContext,
): Handler<typeof CredentialServiceService.revokeUserSessions> {
  return async ({ userId }, { actor, log }) => {
    const { user } = await subjectOf(context, actor, 'users.update', userId);
    const updated = await context.users.endSessions(user._id);
    if (!updated) throw fail('USER_NOT_FOUND', 'no such user');
    await sweepSessions(context, updated);
    log.info({ userId }, 'all sessions of a user ended by an administrator');
    record(context, { event: 'user:sessions.revoke', actor, userId });
    return {};
  };
}
