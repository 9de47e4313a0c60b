import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { beginTwoFactor as begin } from '../../usecases/two-factor/begin-two-factor.js';

export function beginTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.beginTwoFactor> {
  return async ({ password }, { actor, signal }) => {
    const { userId } = requireUser(actor);
    return begin(context, userId, password, signal);
  };
}
