import type { LoginResponse, TokenSet } from '@panel/protos/identity';
import type { z } from 'zod';
import { required } from '../../http/present.js';
import type { loginAnswer, tokenSet } from './schema.js';

export function presentTokens(message: TokenSet | undefined): z.input<typeof tokenSet> {
  const tokens = required(message, 'tokens');
  return {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSeconds,
  };
}

export function presentLogin({ result }: LoginResponse): z.input<typeof loginAnswer> {
  if (result?.$case === 'challenge') return { requires_2fa: true, token: result.value.token };
  return presentTokens(result?.value);
}
