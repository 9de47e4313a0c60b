import { type Handler, requireUser } from '@panel/rpc';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';

/** An API key has no session to end: signing out with one changes nothing. */
export function logout({ sessions, epochs }: IdentityContext): Handler<typeof AuthServiceService.logout> {
  return async (_request, { actor }) => {
    const user = requireUser(actor);
    if (user.method === 'session') {
      await sessions.remove(user.credentialId, user.userId);
      // Also when it was gone already: whoever ended it may have died before the announcement.
      await epochs.changed(user.userId);
    }
    return {};
  };
}
