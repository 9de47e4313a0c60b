import type { CredentialServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteUserApiKey } from '../../usecases/api-keys/delete-api-key.js';

export function handleDeleteUserApiKey(
  context: IdentityContext,
): Handler<typeof CredentialServiceService.deleteUserApiKey> {
  return async ({ userId, apiKeyId }, { actor }) => {
    await deleteUserApiKey(context, actor, { userId, apiKeyId });
    return {};
  };
}
