import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { createPasswordLink } from '../../crypto/password-links.js';
import { checkMailRateLimit } from '../attempts/attempt-limits.js';

/**
 * Mail a link to the user with this address, if there is one. The work runs beside the request, so that neither the answer
 * nor its time reveals who has an account.
 */
export function requestPasswordReset(context: IdentityContext, actor: Actor, email: string): void {
  context.tasks.run('password reset', async () =>
    context.resetLimiter.run(async () => {
      const userId = await sendLink(context, email);
      if (userId !== null) await context.activity.record({ event: 'auth:password-reset-request', userId }, actor);
    }),
  );
}

/** The user who gets a mail, if any. */
async function sendLink(context: IdentityContext, address: string): Promise<string | null> {
  const { box, clock, log, outboxes, users } = context;
  const user = await users.findByEmail(address);
  if (!user || !(await checkMailRateLimit(context, user.id))) return null;
  if (context.admin === null) {
    log.error({ userId: user.id }, 'a password reset cannot be mailed: set ADMIN_ADDRESS');
    return null;
  }
  const { link, mail } = createPasswordLink(box, user, 'reset_password', clock());
  return (await outboxes.replaceLink(user.id, link, mail)) ? user.id : null;
}
