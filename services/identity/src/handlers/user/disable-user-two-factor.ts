import type { Handler } from '@panel/rpc';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { subjectOf } from '../../domain/rights.js';

export function disableUserTwoFactor(
  context: IdentityContext,
): Handler<typeof UserServiceService.disableUserTwoFactor> {
  return async ({ userId }, { actor }) => {
    const { user } = await subjectOf(context, actor, 'users.update', userId);
    if (await context.twoFactor.disable(user._id, context.clock())) {
      await context.epochs.changed(user._id);
      record(context, { event: 'user:two-factor.delete', actor, userId });
    }
    return {};
  };
}
