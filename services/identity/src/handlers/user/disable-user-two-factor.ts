import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';
import { removeTwoFactor } from '../../usecases/two-factor/disable-two-factor.js';

export function disableUserTwoFactor(
  context: IdentityContext,
): Handler<typeof UserServiceService.disableUserTwoFactor> {
  return async ({ userId }, { actor }) => {
    const { user } = await loadTargetUser(context, actor, userId);
    await removeTwoFactor(context, actor, user.id);
    return {};
  };
}
