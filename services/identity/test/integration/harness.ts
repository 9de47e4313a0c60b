import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Actor,
  type ActorSigner,
  type CallOptions,
  type Client,
  connect,
  type Connection,
  createActorSigner,
  createTokenKey,
  serviceActor,
  type UserActor,
  verifyAccessToken,
} from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import type { RunningProcess } from '@panel/kit/process';
import {
  AccountServiceService,
  AuthServiceService,
  CredentialServiceService,
  type LoginResponse,
  RoleServiceService,
  type TokenSet,
  UserServiceService,
} from '@panel/protos/identity';
import { testMongoUrl } from '@panel/testing';
import { type Connection as MongoConnection, createConnection } from 'mongoose';
import { type IdentityConfig, readConfig } from '../../src/config.js';
import type { IdentityOverrides } from '../../src/context.js';
import { userRole } from '../../src/domain/system-roles.js';
import { defineUserModel } from '../../src/models/user-document.js';
import { createUserStore } from '../../src/models/user.js';
import { createPasswordHasher } from '../../src/crypto/passwords.js';
import { startIdentity } from '../../src/service.js';

export const password = 'correct horse battery';
export const visitorIp = '198.51.100.7';

/** Running service with clients and database access. */
export interface Harness {
  readonly env: Record<string, string>;
  readonly config: IdentityConfig;
  readonly address: string;
  readonly signer: ActorSigner;
  readonly auth: Client<typeof AuthServiceService>;
  readonly account: Client<typeof AccountServiceService>;
  readonly user: Client<typeof UserServiceService>;
  readonly role: Client<typeof RoleServiceService>;
  readonly credential: Client<typeof CredentialServiceService>;
  readonly mongo: MongoConnection;
  /** Call options of the actor. */
  as(actor: Actor): CallOptions;
  stop(): Promise<void>;
}

export function testEnvironment(mongoUrl: string): Record<string, string> {
  return {
    MONGO_URL: mongoUrl,
    LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    SERVICE_SECRET: randomBytes(32).toString('base64'),
    JWT_SECRET: randomBytes(32).toString('base64'),
  };
}

/** On a new database, or as a replica on that of `env`. */
export async function startHarness(
  options: { env?: Record<string, string>; overrides?: IdentityOverrides } = {},
): Promise<Harness> {
  const env = { ...testEnvironment(options.env?.MONGO_URL ?? testMongoUrl('identity')), ...options.env };
  const config = readConfig(env);
  const running = await startIdentity(config, options.overrides);
  return attach(env, config, running.addresses.listen, running);
}

/** For a service already listening at `address`. */
export async function attach(
  env: Record<string, string>,
  config: IdentityConfig,
  address: string,
  running?: RunningProcess,
): Promise<Harness> {
  const signer = createActorSigner(config.serviceSecret);
  const connection: Connection = connect({ address, signer, actor: serviceActor('test'), timeoutMs: 30_000 });
  const mongo = await createConnection(config.mongoUrl).asPromise();
  return {
    env,
    config,
    address,
    signer,
    auth: connection.client(AuthServiceService),
    account: connection.client(AccountServiceService),
    user: connection.client(UserServiceService),
    role: connection.client(RoleServiceService),
    credential: connection.client(CredentialServiceService),
    mongo,
    as: (actor) => ({ actorToken: signer.sign(actor) }),
    stop: async () => {
      connection.close();
      await mongo.close();
      await running?.stop();
    },
  };
}

export const visitor: Actor = { kind: 'anonymous', ip: visitorIp };

let hash: Promise<string> | undefined;

/** With `password`. */
export async function addUser(
  { mongo }: Harness,
  given: { email?: string; roleId?: string } = {},
): Promise<{ id: string; email: string }> {
  hash ??= createPasswordHasher().then(async (hasher) => hasher.hash(password));
  const id = randomUUID();
  const email = given.email ?? `${id}@example.org`;
  const store = createUserStore(defineUserModel(await mongo.asPromise()));
  await store.insert(
    { id, email, username: `u-${id}`, roleId: given.roleId ?? userRole.id, passwordHash: await hash },
    new Date(),
  );
  return { id, email };
}

/** Fails unless it gives tokens. */
export async function signIn(
  harness: Harness,
  email: string,
  userAgent = 'mocha',
  given = password,
): Promise<TokenSet> {
  return tokensOf(await harness.auth.login({ email, password: given, userAgent }, harness.as(visitor)));
}

export function tokensOf(response: Pick<LoginResponse, 'result'>): TokenSet {
  if (response.result?.$case !== 'tokens') throw new Error('no tokens in the answer');
  return response.result.value;
}

/** As a gateway would create it. */
export async function actorOf(harness: Harness, accessToken: string): Promise<UserActor> {
  const { sid } = verifyAccessToken(createTokenKey(harness.config.jwtSecret), accessToken);
  const known = await harness.auth.authenticate({ credential: { $case: 'sessionId', value: sid }, ip: visitorIp });
  const { userId, permissions } = known;
  return { kind: 'user', userId, permissions, method: 'session', credentialId: sid, ip: visitorIp };
}

/** As a gateway would create it. */
export async function keyActorOf(harness: Harness, key: string, ip = visitorIp): Promise<UserActor> {
  const known = await harness.auth.authenticate({ credential: { $case: 'apiKey', value: key }, ip });
  const { userId, permissions, apiKeyId } = known;
  const keyPermissions = known.keyPermissions?.permissions;
  return { kind: 'user', userId, permissions, keyPermissions, method: 'api_key', credentialId: apiKeyId, ip };
}

/** Signs in and uses that session. */
export async function session(
  harness: Harness,
  email: string,
  given = password,
): Promise<{ actor: UserActor; tokens: TokenSet }> {
  const tokens = await signIn(harness, email, 'mocha', given);
  return { tokens, actor: await actorOf(harness, tokens.accessToken) };
}

/** Reason of the refusal; fails on success or another error. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (isAppError(error)) return error.reason;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** Counts `ok` and refusal reasons. */
export async function outcomes(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    const name = result.status === 'fulfilled' ? 'ok' : reasonOf(result.reason);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function reasonOf(error: unknown): string {
  return isAppError(error) ? error.reason : String(error);
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
