import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { confirmTwoFactor } from '../../usecases/two-factor/confirm-two-factor.js';

export function handleConfirmTwoFactor(
  context: IdentityContext,
): Handler<typeof AccountServiceService.confirmTwoFactor> {
  return async ({ code }, { actor }) => ({ recoveryCodes: await confirmTwoFactor(context, requireUser(actor), code) });
}
