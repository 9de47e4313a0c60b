import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { newPassword } from '../../domain/fields.js';
import { resetPassword } from '../../usecases/passwords/reset-password.js';
import { readFields } from '../read-fields.js';

export function handleResetPassword(context: IdentityContext): Handler<typeof AuthServiceService.resetPassword> {
  return async (request, { actor, signal }) => {
    const { password } = readFields({ password: newPassword }, request);
    await resetPassword(context, actor, { token: request.token, password }, signal);
    return {};
  };
}
