import { type ApiKeys, createApiKeys } from './api-keys.js';
import { loadCommonPasswords } from './common-passwords.js';
import { createPasswordHasher, type PasswordHasher } from './passwords.js';
import { createSecretBox, type SecretBox } from './secret-box.js';
import { createTokens, type TokenOptions, type Tokens } from './tokens.js';

export interface Cryptography {
  readonly passwords: PasswordHasher;
  /** In lower case; refused. */
  readonly commonPasswords: ReadonlySet<string>;
  readonly box: SecretBox;
  readonly tokens: Tokens;
  readonly apiKeyGenerator: ApiKeys;
}

interface CryptographyOptions extends Omit<TokenOptions, 'secret'> {
  readonly jwtSecret: string;
  readonly serviceSecret: string;
  readonly keyPrefix: string;
}

/** `passwords`: for tests. */
export async function createCryptography(
  options: CryptographyOptions,
  passwords?: PasswordHasher,
): Promise<Cryptography> {
  return {
    passwords: passwords ?? (await createPasswordHasher()),
    commonPasswords: loadCommonPasswords(),
    box: createSecretBox(options.serviceSecret),
    tokens: createTokens({ ...options, secret: options.jwtSecret }),
    apiKeyGenerator: createApiKeys(options.keyPrefix, options.serviceSecret),
  };
}
