import type { Handler } from '@panel/kit';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { givenPassword, lineOfText, parseFields } from '../../domain/fields.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { openSession } from '../../domain/sign-in.js';
import type { UserDocument } from '../../models/user.js';
import { presentTokens } from '../../present.js';
import { fail } from '../../reasons.js';

export function login(context: IdentityContext): Handler<typeof AuthServiceService.login> {
  return async (request, { actor, log, signal }) => {
    const given = parseFields({ email: lineOfText(1, 254), password: givenPassword }, request);
    const user = await checkPassword(context, normaliseEmail(given.email), given.password, signal);
    const pair = await openSession(context, user, { ip: actor.ip, userAgent: request.userAgent });
    log.info({ userId: user._id, ip: actor.ip }, 'signed in');
    return { result: { $case: 'tokens', value: presentTokens(pair) } };
  };
}

/** The user with this e-mail and password, as it is at that moment. Throws INVALID_CREDENTIALS after the same time for any miss. */
async function checkPassword(
  { users, passwords, clock }: IdentityContext,
  email: string,
  password: string,
  signal: AbortSignal,
): Promise<UserDocument> {
  const known = await users.findByEmail(email);
  const { isRight, rehashed } = await passwords.verify(known?.passwordHash ?? null, password, signal);
  const user = known && isRight ? await users.recordLogin(known._id, known.passwordHash, rehashed, clock()) : null;
  if (!user) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  return user;
}
