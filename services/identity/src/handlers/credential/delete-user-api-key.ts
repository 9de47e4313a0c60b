import type { Handler } from '@panel/rpc';
import type { CredentialServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { subjectOf } from '../../domain/rights.js';
import { fail } from '../../reasons.js';

export function deleteUserApiKey(context: IdentityContext): Handler<typeof CredentialServiceService.deleteUserApiKey> {
  return async ({ userId, apiKeyId }, { actor, log }) => {
    const { user } = await subjectOf(context, actor, 'users.update', userId);
    if (!(await context.apiKeys.remove(apiKeyId, user._id))) throw fail('API_KEY_NOT_FOUND', 'no such API key');
    await context.epochs.changed(user._id);
    log.info({ userId, apiKeyId }, 'API key deleted by an administrator');
    record(context, { event: 'user:api-key.delete', actor, userId, properties: { api_key_id: apiKeyId } });
    return {};
  };
}
