import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { disableTwoFactor as disable } from '../../usecases/two-factor/disable-two-factor.js';

export function disableTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.disableTwoFactor> {
  return async ({ password, proof }, { actor, signal }) => {
    await disable(context, requireUser(actor), { password, proof }, signal);
    return {};
  };
}
