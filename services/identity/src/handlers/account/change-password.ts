import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { newPassword, parseFields } from '../../domain/fields.js';
import { changePassword as change } from '../../usecases/passwords/change-password.js';

export function changePassword(context: IdentityContext): Handler<typeof AccountServiceService.changePassword> {
  return async (request, { actor, signal }) => {
    const caller = requireUser(actor);
    const { password } = parseFields({ password: newPassword }, request);
    await change(context, caller, { current: request.currentPassword, next: password }, signal);
    return {};
  };
}
