import { parsePage } from '@panel/kit/mongo';
import { Session, type CredentialServiceService } from '@panel/protos/identity';
import { type Handler, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSession } from '../../present/session.js';
import { listUserSessions } from '../../usecases/sessions/list-sessions.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function handleListUserSessions(
  context: IdentityContext,
): Handler<typeof CredentialServiceService.listUserSessions> {
  return async (request, call) => {
    const { actor } = call;
    const page = parsePage(request.page, sortable);
    const { items, total } = await listUserSessions(context, actor, request.userId, page);
    const current = actor.kind === 'user' && actor.method === 'session' ? actor.credentialId : null;
    return {
      sessions: presentEach(call, items, (session) => presentSession(session, current), Session),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
