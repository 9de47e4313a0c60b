import { type Handler, requireUser } from '@panel/rpc';
import { parsePage } from '@panel/kit';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { callerWithRole } from '../../domain/rights.js';
import { livingSessions } from '../../domain/sign-in.js';
import { presentSession } from '../../present.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function listSessions(context: IdentityContext): Handler<typeof AccountServiceService.listSessions> {
  return async (request, { actor }) => {
    const { userId, method, credentialId } = requireUser(actor);
    const page = parsePage(request.page, sortable);
    const { user } = await callerWithRole(context, userId);
    const { items, total } = await context.sessions.list(livingSessions(context, user), page);
    const current = method === 'session' ? credentialId : null;
    return {
      sessions: items.map((session) => presentSession(session, current)),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
