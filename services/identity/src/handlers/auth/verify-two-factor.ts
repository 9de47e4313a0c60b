import type { AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { readSecondFactor } from '../read-second-factor.js';
import { presentTokens } from '../../present/tokens.js';
import { answerChallenge } from '../../usecases/sessions/answer-challenge.js';

export function handleVerifyTwoFactor(context: IdentityContext): Handler<typeof AuthServiceService.verifyTwoFactor> {
  return async ({ token, proof, userAgent }, { actor }) => {
    const tokens = await answerChallenge(context, token, readSecondFactor(proof), { actor, userAgent });
    return { tokens: presentTokens(tokens) };
  };
}
