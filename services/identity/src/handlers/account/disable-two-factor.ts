import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { readSecondFactor } from '../read-second-factor.js';
import { disableTwoFactor } from '../../usecases/two-factor/disable-two-factor.js';

export function handleDisableTwoFactor(
  context: IdentityContext,
): Handler<typeof AccountServiceService.disableTwoFactor> {
  return async ({ password, proof }, { actor, signal }) => {
    await disableTwoFactor(context, requireUser(actor), { password, proof: readSecondFactor(proof) }, signal);
    return {};
  };
}
