import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { endSessionOf } from '../../usecases/sessions/end-session.js';

export function handleEndSession(context: IdentityContext): Handler<typeof AuthServiceService.endSession> {
  return async ({ refreshToken }) => {
    await endSessionOf(context, refreshToken);
    return {};
  };
}
