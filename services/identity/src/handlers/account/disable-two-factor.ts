import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { checkCurrentPassword } from '../../domain/current-password.js';
import { record } from '../../domain/record.js';
import { callerWithRole } from '../../domain/rights.js';
import { useSecondFactor } from '../../domain/second-factor.js';
import { fail } from '../../reasons.js';

export function disableTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.disableTwoFactor> {
  return async ({ password, proof }, { actor, signal }) => {
    const { user } = await callerWithRole(context, requireUser(actor).userId);
    await checkCurrentPassword(context, user, password, signal);
    if (!user.twoFactor) throw alreadyOff();
    await useSecondFactor(context, user, proof);
    if (!(await context.twoFactor.disable(user._id, context.clock()))) throw alreadyOff();
    await context.epochs.changed(user._id);
    record(context, { event: 'user:two-factor.delete', actor, userId: user._id });
    return {};
  };
}

function alreadyOff() {
  return fail('TWO_FACTOR_DISABLED', 'two-factor authentication is off');
}
