import type { CredentialServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteApiKey } from '../../usecases/api-keys/delete-api-key.js';
import { loadTargetUser } from '../../usecases/authorization/authorization.js';

export function deleteUserApiKey(context: IdentityContext): Handler<typeof CredentialServiceService.deleteUserApiKey> {
  return async ({ userId, apiKeyId }, { actor }) => {
    const { user } = await loadTargetUser(context, actor, userId);
    await deleteApiKey(context, actor, { userId: user.id, apiKeyId });
    return {};
  };
}
