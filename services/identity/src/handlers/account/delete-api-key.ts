import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteApiKey as remove } from '../../usecases/api-keys/delete-api-key.js';

export function deleteApiKey(context: IdentityContext): Handler<typeof AccountServiceService.deleteApiKey> {
  return async ({ apiKeyId }, { actor }) => {
    const { userId } = requireUser(actor);
    await remove(context, actor, { userId, apiKeyId });
    return {};
  };
}
