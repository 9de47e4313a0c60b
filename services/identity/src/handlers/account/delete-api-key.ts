import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteApiKey } from '../../usecases/api-keys/delete-api-key.js';

export function handleDeleteApiKey(context: IdentityContext): Handler<typeof AccountServiceService.deleteApiKey> {
  return async ({ apiKeyId }, { actor }) => {
    const { userId } = requireUser(actor);
    await deleteApiKey(context, actor, { userId, apiKeyId });
    return {};
  };
}
