import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { confirmTwoFactor as confirm } from '../../usecases/two-factor/confirm-two-factor.js';

export function confirmTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.confirmTwoFactor> {
  return async ({ code }, { actor }) => ({ recoveryCodes: await confirm(context, requireUser(actor), code) });
}
