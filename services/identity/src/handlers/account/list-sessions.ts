import { parsePage } from '@panel/kit/mongo';
import { Session, type AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSession } from '../../present/session.js';
import { listSessions } from '../../usecases/sessions/list-sessions.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function handleListSessions(context: IdentityContext): Handler<typeof AccountServiceService.listSessions> {
  return async (request, call) => {
    const { actor } = call;
    const { userId, method, credentialId } = requireUser(actor);
    const page = parsePage(request.page, sortable);
    const { items, total } = await listSessions(context, userId, page);
    const current = method === 'session' ? credentialId : null;
    return {
      sessions: presentEach(call, items, (session) => presentSession(session, current), Session),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
