import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { passwordInput, singleLine } from '../../domain/fields.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { presentTokens } from '../../present/tokens.js';
import { logIn } from '../../usecases/sessions/log-in.js';
import { readFields } from '../read-fields.js';

export function handleLogin(context: IdentityContext): Handler<typeof AuthServiceService.login> {
  return async (request, { actor, signal }) => {
    const given = readFields({ email: singleLine(1, 254), password: passwordInput }, request);
    const credentials = { email: normaliseEmail(given.email), password: given.password };
    const result = await logIn(context, credentials, { actor, userAgent: request.userAgent }, signal);
    return result.kind === 'challenge'
      ? { result: { $case: 'challenge', value: { token: result.token } } }
      : { result: { $case: 'tokens', value: presentTokens(result.tokens) } };
  };
}
