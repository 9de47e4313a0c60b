import { parsePage } from '@panel/kit';
import type { CredentialServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSession } from '../../present/session.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';
import { activeSessions } from '../../usecases/sessions/open-session.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function listUserSessions(context: IdentityContext): Handler<typeof CredentialServiceService.listUserSessions> {
  return async (request, { actor }) => {
    const { user } = await loadTargetUser(context, actor, request.userId);
    const page = parsePage(request.page, sortable);
    const { items, total } = await context.sessions.list(activeSessions(context, user), page);
    const current = actor.kind === 'user' && actor.method === 'session' ? actor.credentialId : null;
    return {
      sessions: items.map((session) => presentSession(session, current)),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
