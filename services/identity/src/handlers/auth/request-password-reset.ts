import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email } from '../../domain/fields.js';
import { requestPasswordReset } from '../../usecases/passwords/request-password-reset.js';
import { readFields } from '../read-fields.js';

export function handleRequestPasswordReset(
  context: IdentityContext,
): Handler<typeof AuthServiceService.requestPasswordReset> {
  return async (message, { actor }) => {
    requestPasswordReset(context, actor, readFields({ email }, message).email);
    return {};
  };
}
