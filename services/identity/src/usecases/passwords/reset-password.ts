import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { linkHashOf } from '../../crypto/password-links.js';
import { fail } from '../../reasons.js';
import { purgeEndedSessions } from '../sessions/open-session.js';
import { requireStrongPassword } from '../../domain/password-strength.js';

/** Opens no session: a mailbox is no second factor. Throws INVALID_LINK, INVALID_FIELDS. */
export async function resetPassword(
  context: IdentityContext,
  actor: Actor,
  { token, password }: { readonly token: string; readonly password: string },
  signal: AbortSignal,
): Promise<void> {
  const { clock, passwords, users } = context;
  const linkHash = linkHashOf(token);
  // Checked before the expensive hash; the update consumes it.
  const owner = linkHash === null ? null : await users.findByLink(linkHash, clock());
  if (linkHash === null || !owner) throw invalidLink();
  requireStrongPassword(password, owner, context.commonPasswords);
  const hash = await passwords.hash(password, signal);
  const user = await users.setPasswordByLink(linkHash, hash, actor.ip, clock());
  if (!user) throw invalidLink();
  await purgeEndedSessions(context, user);
  await context.activity.record({ event: 'auth:password-reset', actorId: user.id, userId: user.id }, actor);
}

function invalidLink() {
  return fail('INVALID_LINK', 'the link is not valid any more');
}
