import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { newPassword, parseFields } from '../../domain/fields.js';
import { resetPassword as reset } from '../../usecases/passwords/reset-password.js';

export function resetPassword(context: IdentityContext): Handler<typeof AuthServiceService.resetPassword> {
  return async (request, { actor, signal }) => {
    const { password } = parseFields({ password: newPassword }, request);
    await reset(context, actor, { token: request.token, password }, signal);
    return {};
  };
}
