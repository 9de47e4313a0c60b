import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { createPasswordLink } from '../../crypto/password-links.js';
import { checkMailRateLimit } from '../attempts/attempt-limits.js';

/** Runs outside of the request: neither response nor timing reveals accounts. */
export function requestPasswordReset(context: IdentityContext, actor: Actor, email: string): void {
  context.tasks.run('password reset', async () =>
    context.resetLimiter.run(async () => {
      const userId = await sendLink(context, email);
      if (userId !== null) await context.activity.record({ event: 'auth:password-reset-request', userId }, actor);
    }),
  );
}

/** Returns the recipient's id, or null. */
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
