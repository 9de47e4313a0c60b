import type { TokenSet } from '@panel/protos/identity';
import type { TokenPair } from '../crypto/tokens.js';

export function presentTokens(pair: TokenPair): TokenSet {
  return {
    accessToken: pair.accessToken,
    refreshToken: pair.refreshToken,
    expiresInSeconds: pair.accessTtlSeconds,
    refreshExpiresInSeconds: pair.refreshTtlSeconds,
  };
}
