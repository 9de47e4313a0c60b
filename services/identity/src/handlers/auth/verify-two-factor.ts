import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentTokens } from '../../present/tokens.js';
import { answerChallenge } from '../../usecases/sessions/answer-challenge.js';

export function verifyTwoFactor(context: IdentityContext): Handler<typeof AuthServiceService.verifyTwoFactor> {
  return async ({ token, proof, userAgent }, { actor }) => {
    const tokens = await answerChallenge(context, token, proof, { actor, userAgent });
    return { tokens: presentTokens(tokens) };
  };
}
