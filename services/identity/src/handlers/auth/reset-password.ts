import type { Handler } from '@panel/rpc';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { newPassword, parseFields } from '../../domain/fields.js';
import { linkHashOf } from '../../domain/password-links.js';
import { record } from '../../domain/record.js';
import { sweepSessions } from '../../domain/sign-in.js';
import { fail } from '../../reasons.js';

/** Opens no session: whoever can read somebody's mail still needs the second factor. */
export function resetPassword(context: IdentityContext): Handler<typeof AuthServiceService.resetPassword> {
  return async (request, { actor, signal }) => {
    const given = parseFields({ password: newPassword }, request);
    const { clock, passwords, users } = context;
    const linkHash = linkHashOf(request.token);
    // Looked up before the hashing, which is dear, and once more with the change, which uses it up.
    if (linkHash === null || !(await users.findByLink(linkHash, clock()))) throw invalid();
    const hash = await passwords.hash(given.password, signal);
    const user = await users.setPasswordByLink(linkHash, hash, actor.ip, clock());
    if (!user) throw invalid();
    await sweepSessions(context, user);
    record(context, { event: 'auth:password-reset', actor, actorId: user._id, userId: user._id });
    return {};
  };
}

function invalid() {
  return fail('INVALID_TOKEN', 'the token is not valid');
}
