import type { CredentialServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { revokeUserSessions } from '../../usecases/sessions/end-session.js';

export function handleRevokeUserSessions(
  context: IdentityContext,
): Handler<typeof CredentialServiceService.revokeUserSessions> {
  return async ({ userId }, { actor }) => {
    await revokeUserSessions(context, actor, userId);
    return {};
  };
}
