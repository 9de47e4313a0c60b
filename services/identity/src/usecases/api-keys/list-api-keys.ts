import type { PageQuery } from '@panel/kit/mongo';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { ApiKeyRecord } from '../../domain/api-key.js';
import { loadTargetUser } from '../authorization/authorization.js';

interface ApiKeyPage {
  readonly items: ApiKeyRecord[];
  readonly total: number;
}

export async function listApiKeys(context: IdentityContext, userId: string, page: PageQuery): Promise<ApiKeyPage> {
  return context.apiKeys.list(userId, page);
}

/** For administrators. Throws USER_NOT_FOUND, PERMISSION_EXCEEDS_OWN. */
export async function listUserApiKeys(
  context: IdentityContext,
  actor: Actor,
  userId: string,
  page: PageQuery,
): Promise<ApiKeyPage> {
  const { user } = await loadTargetUser(context, actor, userId);
  return listApiKeys(context, user.id, page);
}
