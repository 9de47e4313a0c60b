import { isAppError } from '@panel/kit/errors';
import type { ActivityEvent } from '@panel/protos/admin';
import type { CallOptions } from '@panel/rpc';
import type { Services } from '../../services.js';

const timeoutMs = 2_000;

/** Omits deleted users; empty while identity is unavailable. */
export async function readActorNames(
  { users }: Pick<Services, 'users'>,
  events: readonly ActivityEvent[],
  asGateway: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const userIds = [...new Set(events.map(({ actorId }) => actorId))].filter((id) => id !== '');
  if (userIds.length === 0) return new Map();
  try {
    const found = await users.batchGetUsers({ userIds }, { ...asGateway, timeoutMs });
    return new Map(found.users.map(({ id, username }) => [id, username]));
  } catch (error) {
    // Ids identify actors without names.
    if (isAppError(error)) return new Map();
    throw error;
  }
}
