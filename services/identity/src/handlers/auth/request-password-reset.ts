import type { Handler } from '@panel/rpc';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { mayMailLink } from '../../domain/attempt-limits.js';
import { email, parseFields } from '../../domain/fields.js';
import { makePasswordLink } from '../../domain/password-links.js';
import { record } from '../../domain/record.js';

/** Answers before it looks, so that neither words nor time tell who has an account. */
export function requestPasswordReset(
  context: IdentityContext,
): Handler<typeof AuthServiceService.requestPasswordReset> {
  return async (request, { actor }) => {
    const given = parseFields({ email }, request);
    context.tasks.run('password reset', async () =>
      context.resets.pass(async () => {
        const userId = await sendLink(context, given.email);
        if (userId !== null) record(context, { event: 'auth:password-reset-request', actor, userId });
      }),
    );
    return {};
  };
}

/** The user who gets a mail, if any. */
async function sendLink(context: IdentityContext, address: string): Promise<string | null> {
  const { box, clock, log, news, newsStore, users } = context;
  const user = await users.findByEmail(address);
  if (!user || !(await mayMailLink(context, user._id))) return null;
  if (!news) {
    log.error({ userId: user._id }, 'a password reset cannot be mailed: set ADMIN_ADDRESS');
    return null;
  }
  const { link, mail } = makePasswordLink(box, user, 'reset_password', clock());
  return (await newsStore.replaceLink(user._id, link, mail)) ? user._id : null;
}
