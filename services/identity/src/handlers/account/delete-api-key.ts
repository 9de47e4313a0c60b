import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { fail } from '../../reasons.js';

export function deleteApiKey(context: IdentityContext): Handler<typeof AccountServiceService.deleteApiKey> {
  const { apiKeys, epochs } = context;
  return async ({ apiKeyId }, { actor, log }) => {
    const { userId } = requireUser(actor);
    if (!(await apiKeys.remove(apiKeyId, userId))) throw fail('API_KEY_NOT_FOUND', 'no such API key');
    await epochs.changed(userId);
    log.info({ userId, apiKeyId }, 'API key deleted');
    record(context, { event: 'user:api-key.delete', actor, userId, properties: { api_key_id: apiKeyId } });
    return {};
  };
}
