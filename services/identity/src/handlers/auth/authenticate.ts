import { AuthenticateResponse, type AuthServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { ApiKeyRecord } from '../../domain/api-key.js';
import { intersectPermissions } from '../../domain/permissions.js';
import {
  authenticateApiKey,
  authenticateSession,
  continueApiKey,
  type Identity,
  invalidCredential,
} from '../../usecases/sessions/authenticate.js';

export function handleAuthenticate(context: IdentityContext): Handler<typeof AuthServiceService.authenticate> {
  return async ({ credential, ip }) => {
    switch (credential?.$case) {
      case 'sessionId': {
        const { session, ...identity } = await authenticateSession(context, credential.value);
        return { ...present(identity, null), sessionId: session.id, expireTime: session.expiresAt };
      }
      case 'apiKey':
        return presentKey(await authenticateApiKey(context, credential.value, ip));
      case 'apiKeyId':
        return presentKey(await continueApiKey(context, credential.value));
      default:
        throw invalidCredential();
    }
  };
}

function presentKey({ apiKey, ...identity }: Identity & { readonly apiKey: ApiKeyRecord }) {
  const expireTime = apiKey.expiresAt ?? undefined;
  const keyPermissions = apiKey.permissions === null ? undefined : { permissions: [...apiKey.permissions] };
  return { ...present(identity, apiKey.permissions), apiKeyId: apiKey.id, expireTime, keyPermissions };
}

function present({ user, role, isTwoFactorRequired }: Identity, subset: readonly string[] | null) {
  return AuthenticateResponse.create({
    userId: user.id,
    username: user.username,
    roleId: role.id,
    roleName: role.name,
    permissions: subset === null ? [...role.permissions] : intersectPermissions(role.permissions, subset),
    rateLimitMultiplier: role.rateLimitMultiplier,
    twoFactorRequired: isTwoFactorRequired,
  });
}
