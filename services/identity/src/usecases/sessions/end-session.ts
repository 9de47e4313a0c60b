import { isAppError } from '@panel/kit/errors';
import type { Actor, TokenClaims } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { loadTargetUser } from '../authorization/authorization.js';
import { purgeEndedSessions } from './open-session.js';

/** Idempotent. */
export async function logOut({ sessions, epochs }: IdentityContext, userId: string, sessionId: string): Promise<void> {
  await sessions.remove(sessionId, userId);
  // Also if already removed: that process may have died before its bump.
  await epochs.bump(userId);
}

/** By a refresh token, also a rotated one: a tab may lack the latest. Idempotent. */
export async function endSessionOf(context: IdentityContext, refreshToken: string): Promise<void> {
  const claims = claimsOf(context, refreshToken);
  if (claims !== null) await logOut(context, claims.sub, claims.sid);
}

function claimsOf({ tokens, clock }: IdentityContext, refreshToken: string): TokenClaims | null {
  try {
    return tokens.readRefresh(refreshToken, clock());
  } catch (error) {
    if (isAppError(error, 'INVALID_TOKEN')) return null;
    throw error;
  }
}

/** Throws SESSION_NOT_FOUND. */
export async function revokeSession(
  context: IdentityContext,
  actor: Actor,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<void> {
  if (!(await context.sessions.remove(sessionId, userId))) throw fail('SESSION_NOT_FOUND', 'no such session');
  await context.epochs.bump(userId);
  await context.activity.record({ event: 'user:session.revoke', userId }, actor);
}

/** For administrators. Idempotent. Throws USER_NOT_FOUND, PERMISSION_EXCEEDS_OWN. */
export async function revokeUserSessions(context: IdentityContext, actor: Actor, userId: string): Promise<void> {
  const { user } = await loadTargetUser(context, actor, userId);
  const updated = await context.users.endSessions(user.id);
  if (!updated) throw fail('USER_NOT_FOUND', 'no such user');
  await purgeEndedSessions(context, updated);
  context.log.info({ userId }, 'all sessions of a user ended by an administrator');
  await context.activity.record({ event: 'user:sessions.revoke', userId }, actor);
}
