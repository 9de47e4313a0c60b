import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { loadTargetUser } from '../authorization/authorization.js';

/** For administrators. Throws USER_NOT_FOUND, PERMISSION_EXCEEDS_OWN, API_KEY_NOT_FOUND. */
export async function deleteUserApiKey(
  context: IdentityContext,
  actor: Actor,
  { userId, apiKeyId }: { readonly userId: string; readonly apiKeyId: string },
): Promise<void> {
  const { user } = await loadTargetUser(context, actor, userId);
  await deleteApiKey(context, actor, { userId: user.id, apiKeyId });
}

/** Effective from the next request. Throws API_KEY_NOT_FOUND. */
export async function deleteApiKey(
  context: IdentityContext,
  actor: Actor,
  { userId, apiKeyId }: { readonly userId: string; readonly apiKeyId: string },
): Promise<void> {
  if (!(await context.apiKeys.remove(apiKeyId, userId))) throw fail('API_KEY_NOT_FOUND', 'no such API key');
  await context.epochs.bump(userId);
  context.log.info({ userId, apiKeyId }, 'API key deleted');
  await context.activity.record({ event: 'user:api-key.delete', userId, properties: { api_key_id: apiKeyId } }, actor);
}
