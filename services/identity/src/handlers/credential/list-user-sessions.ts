import { parsePage } from '@panel/kit/mongo';
import { Session, type CredentialServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSession } from '../../present/session.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';
import { activeSessions } from '../../usecases/sessions/open-session.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function listUserSessions(context: IdentityContext): Handler<typeof CredentialServiceService.listUserSessions> {
  return async (request, call) => {
    const { actor } = call;
    const { user } = await loadTargetUser(context, actor, request.userId);
    const page = parsePage(request.page, sortable);
    const { items, total } = await context.sessions.list(activeSessions(context, user), page);
    const current = actor.kind === 'user' && actor.method === 'session' ? actor.credentialId : null;
    return {
      sessions: presentEach(call, items, (session) => presentSession(session, current), Session),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
