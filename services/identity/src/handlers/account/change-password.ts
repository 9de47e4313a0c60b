import { type Handler, requireUser } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { checkCurrentPassword } from '../../domain/current-password.js';
import { newPassword, parseFields } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { callerWithRole } from '../../domain/rights.js';
import { sweepSessions } from '../../domain/sign-in.js';
import { fail } from '../../reasons.js';

export function changePassword(context: IdentityContext): Handler<typeof AccountServiceService.changePassword> {
  return async (request, { actor, signal }) => {
    const caller = requireUser(actor);
    const given = parseFields({ password: newPassword }, request);
    const { user } = await callerWithRole(context, caller.userId);
    await checkCurrentPassword(context, user, request.currentPassword, signal);
    if (given.password === request.currentPassword)
      throw invalidFields({ password: ['must not be the current password'] });
    const hash = await context.passwords.hash(given.password, signal);
    const keepSessionId = caller.method === 'session' ? caller.credentialId : null;
    const guard = { passwordHash: user.passwordHash };
    const updated = await context.users.setPassword(user._id, guard, { hash, keepSessionId }, context.clock());
    // Somebody else changed it first: the one given is not the current one any more.
    if (!updated) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
    await sweepSessions(context, updated);
    record(context, { event: 'user:account.password-changed', actor, userId: user._id });
    return {};
  };
}
