import { isAppError } from '@panel/kit/errors';
import type { ActivityEvent } from '@panel/protos/admin';
import type { CallOptions } from '@panel/rpc';
import type { Services } from '../../services.js';

const timeoutMs = 2_000;

/** User names of those who did what a page of the activity shows, by id; without the deleted, and empty while identity is away. */
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
    // Who acted is known by id, too.
    if (isAppError(error)) return new Map();
    throw error;
  }
}
