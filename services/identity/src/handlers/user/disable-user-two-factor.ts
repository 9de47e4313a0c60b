import type { UserServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { disableUserTwoFactor } from '../../usecases/two-factor/disable-two-factor.js';

export function handleDisableUserTwoFactor(
  context: IdentityContext,
): Handler<typeof UserServiceService.disableUserTwoFactor> {
  return async ({ userId }, { actor }) => {
    await disableUserTwoFactor(context, actor, userId);
    return {};
  };
}
