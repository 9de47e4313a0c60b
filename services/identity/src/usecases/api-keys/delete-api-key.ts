import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { recordActivity } from '../../activity/record-activity.js';

/** Delete a key of a user; it is refused from the next request on. Throws API_KEY_NOT_FOUND. */
export async function deleteApiKey(
  context: IdentityContext,
  actor: Actor,
  { userId, apiKeyId }: { readonly userId: string; readonly apiKeyId: string },
): Promise<void> {
  if (!(await context.apiKeys.remove(apiKeyId, userId))) throw fail('API_KEY_NOT_FOUND', 'no such API key');
  await context.epochs.bump(userId);
  context.log.info({ userId, apiKeyId }, 'API key deleted');
  recordActivity(context, { event: 'user:api-key.delete', actor, userId, properties: { api_key_id: apiKeyId } });
}
