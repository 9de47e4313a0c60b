import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { beginTwoFactor } from '../../usecases/two-factor/begin-two-factor.js';

export function handleBeginTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.beginTwoFactor> {
  return async ({ password }, { actor, signal }) => {
    const { userId } = requireUser(actor);
    return beginTwoFactor(context, userId, password, signal);
  };
}
