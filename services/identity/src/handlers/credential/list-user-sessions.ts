import type { Handler } from '@panel/rpc';
import { parsePage } from '@panel/kit';
import type { CredentialServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { subjectOf } from '../../domain/rights.js';
import { livingSessions } from '../../domain/sign-in.js';
import { presentSession } from '../../present.js';

const sortable = { created_at: 'createdAt', last_used_at: 'lastUsedAt' };

export function listUserSessions(context: IdentityContext): Handler<typeof CredentialServiceService.listUserSessions> {
  return async (request, { actor }) => {
    const { user } = await subjectOf(context, actor, 'users.view', request.userId);
    const page = parsePage(request.page, sortable);
    const { items, total } = await context.sessions.list(livingSessions(context, user), page);
    const current = actor.kind === 'user' && actor.method === 'session' ? actor.credentialId : null;
    return {
      sessions: items.map((session) => presentSession(session, current)),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
