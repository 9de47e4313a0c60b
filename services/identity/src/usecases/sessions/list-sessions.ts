import type { PageQuery } from '@panel/kit/mongo';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { SessionRecord } from '../../domain/session.js';
import { loadCaller, loadTargetUser } from '../authorization/authorization.js';
import { activeSessions } from './open-session.js';

interface SessionPage {
  readonly items: SessionRecord[];
  readonly total: number;
}

/** Throws INVALID_TOKEN. */
export async function listSessions(context: IdentityContext, userId: string, page: PageQuery): Promise<SessionPage> {
  const { user } = await loadCaller(context, userId);
  return context.sessions.list(activeSessions(context, user), page);
}

/** For administrators. Throws USER_NOT_FOUND, PERMISSION_EXCEEDS_OWN. */
export async function listUserSessions(
  context: IdentityContext,
  actor: Actor,
  userId: string,
  page: PageQuery,
): Promise<SessionPage> {
  const { user } = await loadTargetUser(context, actor, userId);
  return context.sessions.list(activeSessions(context, user), page);
}
