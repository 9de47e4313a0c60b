import type { IdentityContext } from '../../context.js';
import { isAddressAllowed } from '../../domain/allowed-addresses.js';
import type { ApiKeyRecord } from '../../domain/api-key.js';
import { isTwoFactorRequired } from '../../domain/policy.js';
import type { RoleRecord } from '../../domain/role.js';
import { isSessionActive, isTouchDue, type SessionRecord, touchIntervalMs } from '../../domain/session.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { loadRole } from '../authorization/authorization.js';

/** Owner of a valid credential. */
export interface Identity {
  readonly user: UserRecord;
  readonly role: RoleRecord;
  readonly isTwoFactorRequired: boolean;
}

/** Throws INVALID_TOKEN. */
export async function authenticateSession(
  context: IdentityContext,
  sessionId: string,
): Promise<Identity & { readonly session: SessionRecord }> {
  const { clock, sessions, users, tasks, tokens } = context;
  const session = await sessions.findById(sessionId);
  const user = session ? await users.findById(session.userId) : null;
  const now = clock();
  if (!session || !user || !isSessionActive(session, user, tokens.keyId, now)) throw invalidCredential();
  if (isTouchDue(session.lastUsedAt, now))
    tasks.run('touch session', async () => sessions.touch(sessionId, now, touchIntervalMs));
  return { ...(await identityOf(context, user)), session };
}

/** Throws INVALID_TOKEN, IP_NOT_ALLOWED. */
export async function authenticateApiKey(
  context: IdentityContext,
  key: string,
  ip: string,
): Promise<Identity & { readonly apiKey: ApiKeyRecord }> {
  const { apiKeys, apiKeyGenerator, clock, tasks, users } = context;
  const hash = apiKeyGenerator.hashOf(key);
  const apiKey = hash === null ? null : await apiKeys.findByHash(hash);
  const user = apiKey ? await users.findById(apiKey.userId) : null;
  const now = clock();
  if (!apiKey || !user || (apiKey.expiresAt && apiKey.expiresAt <= now)) throw invalidCredential();
  if (!isAddressAllowed(apiKey.allowedIps, ip)) {
    const properties = { identifier: apiKey.identifier };
    const event = { event: 'auth:ip-blocked', userId: user.id, properties } as const;
    await context.activity.record(event, { kind: 'anonymous', ip });
    throw fail('IP_NOT_ALLOWED', 'this API key may not be used from this address');
  }
  if (isTouchDue(apiKey.lastUsedAt, now))
    tasks.run('touch API key', async () => apiKeys.touch(apiKey.id, now, touchIntervalMs));
  return { ...(await identityOf(context, user)), apiKey };
}

/** Accepted before; by id, from any address. Throws INVALID_TOKEN. */
export async function continueApiKey(
  context: IdentityContext,
  apiKeyId: string,
): Promise<Identity & { readonly apiKey: ApiKeyRecord }> {
  const { apiKeys, clock, users } = context;
  const apiKey = await apiKeys.findById(apiKeyId);
  const user = apiKey ? await users.findById(apiKey.userId) : null;
  if (!apiKey || !user || (apiKey.expiresAt && apiKey.expiresAt <= clock())) throw invalidCredential();
  return { ...(await identityOf(context, user)), apiKey };
}

async function identityOf(context: IdentityContext, user: UserRecord): Promise<Identity> {
  const role = await loadRole(context, user);
  const isRequired = user.twoFactor === null && isTwoFactorRequired(context.policy.current(), role.permissions);
  return { user, role, isTwoFactorRequired: isRequired };
}

/** INVALID_TOKEN. */
export function invalidCredential() {
  return fail('INVALID_TOKEN', 'the session or key does not exist any more');
}
