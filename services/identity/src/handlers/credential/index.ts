import { CredentialServiceService } from '@panel/protos/identity';
import { serve, type ServedService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { handleDeleteUserApiKey } from './delete-user-api-key.js';
import { handleListUserApiKeys } from './list-user-api-keys.js';
import { handleListUserSessions } from './list-user-sessions.js';
import { handleRevokeUserSessions } from './revoke-user-sessions.js';

export function createCredentialService(context: IdentityContext): ServedService {
  return serve(CredentialServiceService, {
    listUserApiKeys: handleListUserApiKeys(context),
    deleteUserApiKey: handleDeleteUserApiKey(context),
    listUserSessions: handleListUserSessions(context),
    revokeUserSessions: handleRevokeUserSessions(context),
  });
}
