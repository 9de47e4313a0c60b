import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { newPassword } from '../../domain/fields.js';
import { changePassword } from '../../usecases/passwords/change-password.js';
import { readFields } from '../read-fields.js';

export function handleChangePassword(context: IdentityContext): Handler<typeof AccountServiceService.changePassword> {
  return async (request, { actor, signal }) => {
    const caller = requireUser(actor);
    const { password } = readFields({ password: newPassword }, request);
    await changePassword(context, caller, { current: request.currentPassword, next: password }, signal);
    return {};
  };
}
