import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { email, parseFields } from '../../domain/fields.js';
import { requestPasswordReset as request } from '../../usecases/passwords/request-password-reset.js';

export function requestPasswordReset(
  context: IdentityContext,
): Handler<typeof AuthServiceService.requestPasswordReset> {
  return async (message, { actor }) => {
    request(context, actor, parseFields({ email }, message).email);
    return {};
  };
}
