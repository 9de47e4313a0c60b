import { createHmac, randomBytes } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import type { Stack } from '@panel/stack';
import { dataOf, send } from './requests.js';

export const password = 'a long enough password';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

export interface TestUser extends Tokens {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly token: string;
}

let made = 0;

/** Creates users through the API as administrator. */
export class TestUsers {
  /** All secrets of this run, for the search in logs. */
  readonly secrets = new Set<string>([password]);

  constructor(
    readonly base: string,
    readonly adminToken: string,
  ) {}

  async signUp(fields: Record<string, unknown> = {}): Promise<TestUser> {
    const user = await this.create({ password, ...fields });
    return this.signIn(user);
  }

  async create(fields: Record<string, unknown> = {}): Promise<{ id: string; email: string; username: string }> {
    made += 1;
    const name = `someone-${made}-${randomBytes(3).toString('hex')}`;
    const json = { email: `${name}@example.com`, username: name, ...fields };
    return dataOf(this.base, '/api/v1/admin/users', { token: this.adminToken, json });
  }

  async signIn(user: { id: string; email: string; username: string }, secret = password): Promise<TestUser> {
    const tokens = await this.login(user.email, secret);
    return { ...user, ...tokens, token: tokens.access_token };
  }

  async login(email: string, secret = password): Promise<Tokens> {
    const tokens = await dataOf<Tokens>(this.base, '/api/v1/auth/login', { json: { email, password: secret } });
    this.#remember(tokens.access_token, tokens.refresh_token);
    return tokens;
  }

  /** The challenge token of a user with a second factor. */
  async challenge(email: string): Promise<string> {
    const json = { email, password };
    const { token } = await dataOf<{ token: string }>(this.base, '/api/v1/auth/login', { json });
    this.#remember(token);
    return token;
  }

  async createRole(permissions: readonly string[]): Promise<{ id: string; name: string }> {
    const json = { name: `role ${randomBytes(4).toString('hex')}`, permissions };
    return dataOf(this.base, '/api/v1/admin/roles', { token: this.adminToken, json });
  }

  async createApiKey(token: string, fields: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
    const json = { description: 'a key', ...fields };
    const made = await dataOf<{ id: string; key: string }>(this.base, '/api/v1/account/api-keys', { token, json });
    this.#remember(made.key);
    return made;
  }

  /** Returns secret, the used code's step, and recovery codes. */
  async enableTwoFactor({ token }: { token: string }, given = password): Promise<SecondFactor> {
    const { secret } = await dataOf<{ secret: string }>(this.base, '/api/v1/account/2fa', {
      token,
      json: { password: given },
    });
    const step = currentStep();
    const json = { code: totpCode(secret, step) };
    const { recovery_codes: recoveryCodes } = await dataOf<{ recovery_codes: string[] }>(
      this.base,
      '/api/v1/account/2fa/confirm',
      { token, json },
    );
    this.#remember(secret, json.code, ...recoveryCodes);
    return { secret, step, recoveryCodes };
  }

  /** From the launcher's mail driver "log". */
  async readMailedToken(stack: Stack, email: string): Promise<string> {
    const token = await waitUntil(`a mail to ${email}`, () => {
      const mail = stack.mails.findLast(({ to }) => to === email);
      return /#token=([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    });
    this.#remember(token);
    return token;
  }

  async resetToken(stack: Stack, email: string): Promise<string> {
    const answer = await send(this.base, '/api/v1/auth/password/forgot', { json: { email } });
    if (answer.status !== 200) throw new Error(answer.text);
    return this.readMailedToken(stack, email);
  }

  #remember(...secrets: string[]): void {
    for (const secret of secrets) this.secrets.add(secret);
  }
}

export interface SecondFactor {
  readonly secret: string;
  /** The step of the enabling code, which cannot be reused. */
  readonly step: number;
  readonly recoveryCodes: readonly string[];
}

const stepSeconds = 30;
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function currentStep(): number {
  return Math.floor(Date.now() / 1000 / stepSeconds);
}

/** RFC 6238 with SHA-1, as in authenticator apps. */
export function totpCode(secret: string, step: number): string {
  const bits = secret
    .split('')
    .map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return `${number % 1_000_000}`.padStart(6, '0');
}
