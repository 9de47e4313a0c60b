import { type Handler, requireService } from '@panel/rpc';
import { AuthenticateResponse, type AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { isAddressAllowed } from '../../domain/allowed-addresses.js';
import { intersectPermissions } from '../../domain/permissions.js';
import { record } from '../../domain/record.js';
import { roleOf } from '../../domain/rights.js';
import { isSessionAlive } from '../../domain/sign-in.js';
import type { RoleDocument } from '../../models/role.js';
import type { UserDocument } from '../../models/user.js';
import { fail } from '../../reasons.js';

/** Use is noted at most this often, beside the request: a list of sessions needs no more. */
const touchIntervalMs = 60_000;

export function authenticate(context: IdentityContext): Handler<typeof AuthServiceService.authenticate> {
  return async ({ credential, ip }, { actor }) => {
    requireService(actor);
    switch (credential?.$case) {
      case 'sessionId':
        return bySession(context, credential.value);
      case 'apiKey':
        return byApiKey(context, credential.value, ip);
      default:
        throw invalid();
    }
  };
}

async function bySession(context: IdentityContext, sessionId: string): Promise<AuthenticateResponse> {
  const { clock, sessions, users, tasks, tokens } = context;
  const session = await sessions.findById(sessionId);
  const user = session ? await users.findById(session.userId) : null;
  const now = clock();
  if (!session || !user || !isSessionAlive(session, user, tokens.keyId, now)) throw invalid();
  if (isStale(session.lastUsedAt, now))
    tasks.run('touch session', async () => sessions.touch(sessionId, now, touchIntervalMs));
  return { ...(await rightsOf(context, user, null)), sessionId, expireTime: session.expiresAt };
}

async function byApiKey(context: IdentityContext, key: string, ip: string): Promise<AuthenticateResponse> {
  const { apiKeys, clock, keyMaker, tasks, users } = context;
  const hash = keyMaker.hashOf(key);
  const apiKey = hash === null ? null : await apiKeys.findByHash(hash);
  const user = apiKey ? await users.findById(apiKey.userId) : null;
  const now = clock();
  if (!apiKey || !user || (apiKey.expiresAt && apiKey.expiresAt <= now)) throw invalid();
  if (!isAddressAllowed(apiKey.allowedIps, ip)) {
    const properties = { identifier: apiKey.identifier };
    record(context, { event: 'auth:ip-blocked', actor: { kind: 'anonymous', ip }, userId: user._id, properties });
    throw fail('IP_NOT_ALLOWED', 'this API key may not be used from this address');
  }
  if (isStale(apiKey.lastUsedAt, now))
    tasks.run('touch API key', async () => apiKeys.touch(apiKey._id, now, touchIntervalMs));
  const rights = await rightsOf(context, user, apiKey.permissions);
  return { ...rights, apiKeyId: apiKey._id, expireTime: apiKey.expiresAt ?? undefined };
}

async function rightsOf(context: IdentityContext, user: UserDocument, subset: readonly string[] | null) {
  const role = await roleOf(context, user);
  return AuthenticateResponse.create({
    userId: user._id,
    username: user.username,
    roleId: role._id,
    roleName: role.name,
    permissions: subset === null ? role.permissions : intersectPermissions(role.permissions, subset),
    rateLimitMultiplier: role.rateLimitMultiplier,
    twoFactorRequired: user.twoFactor === null && isTwoFactorDemanded(context, role),
  });
}

/** `admins` are all who hold any administrative permission: the fewer factors, the worse each of them is in wrong hands. */
function isTwoFactorDemanded({ policy }: IdentityContext, role: RoleDocument): boolean {
  const { requireTwoFactor } = policy.current();
  return requireTwoFactor === 'all' || (requireTwoFactor === 'admins' && role.permissions.length > 0);
}

function isStale(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > touchIntervalMs;
}

function invalid() {
  return fail('INVALID_TOKEN', 'the session or key does not exist any more');
}
