import type { LoginResponse, TokenSet } from '@panel/protos/identity';
import type { z } from 'zod';
import { required } from '../../declaration/present.js';
import type { loginResponse, tokenSet } from './schema.js';

export function presentTokens(message: TokenSet | undefined): z.input<typeof tokenSet> {
  const tokens = required(message, 'tokens');
  return {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSeconds,
  };
}

/** The proof of a second factor, from a body of which the schema has let exactly one through. */
export function secondFactorProof(body: { code?: string | undefined; recovery_code?: string | undefined }) {
  return body.code === undefined
    ? { $case: 'recoveryCode' as const, value: body.recovery_code ?? '' }
    : { $case: 'code' as const, value: body.code };
}

export function presentLogin({ result }: LoginResponse): z.input<typeof loginResponse> {
  if (result?.$case === 'challenge') return { requires_2fa: true, token: result.value.token };
  return presentTokens(result?.value);
}
