import type { AuthServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { logOut } from '../../usecases/sessions/end-session.js';

/** API keys have no session: no effect. */
export function handleLogout(context: IdentityContext): Handler<typeof AuthServiceService.logout> {
  return async (_request, { actor }) => {
    const { method, userId, credentialId } = requireUser(actor);
    if (method === 'session') await logOut(context, userId, credentialId);
    return {};
  };
}
