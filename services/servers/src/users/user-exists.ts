import { isAppError } from '@panel/kit/errors';
import type { UserServiceService } from '@panel/protos/identity';
import type { Client } from '@panel/rpc';

const timeoutMs = 3_000;

/** The function throws SERVICE_UNAVAILABLE. */
export function createUserExists(
  users: Pick<Client<typeof UserServiceService>, 'getUser'>,
): (userId: string) => Promise<boolean> {
  return async (userId) => {
    try {
      await users.getUser({ userId }, { timeoutMs });
      return true;
    } catch (error) {
      if (isAppError(error) && (error.kind === 'not_found' || error.kind === 'invalid_argument')) return false;
      throw error;
    }
  };
}
