import type { Client } from '@panel/rpc';
import type { User, UserServiceService } from '@panel/protos/identity';

/** A user as others may know them. */
export interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  /** Nothing has shown yet that the address is theirs. */
  readonly isEmailUnproven: boolean;
}

/** Users, as identity knows them. Throws what its calls throw. */
export interface UserDirectory {
  findByEmail(email: string): Promise<KnownUser | null>;
  /** Those who exist, by address. */
  byEmails(emails: readonly string[]): Promise<Map<string, KnownUser>>;
  /** Those who exist, by id. */
  byIds(userIds: readonly string[]): Promise<Map<string, KnownUser>>;
}

const timeoutMs = 3_000;
const batchSize = 100;

export function createUserDirectory(users: Client<typeof UserServiceService>): UserDirectory {
  const byEmails = async (emails: readonly string[]) => {
    const found = await inBatches(emails, async (batch) =>
      users.batchGetUsersByEmail({ emails: [...batch] }, { timeoutMs }),
    );
    return new Map(found.map((user) => [user.email, user]));
  };
  return {
    byEmails,
    findByEmail: async (email) => (await byEmails([email])).get(email) ?? null,
    byIds: async (userIds) => {
      const found = await inBatches(userIds, async (batch) =>
        users.batchGetUsers({ userIds: [...batch] }, { timeoutMs }),
      );
      return new Map(found.map((user) => [user.id, user]));
    },
  };
}

async function inBatches(
  names: readonly string[],
  ask: (batch: readonly string[]) => Promise<{ readonly users: readonly User[] }>,
): Promise<KnownUser[]> {
  const found: KnownUser[] = [];
  const unique = [...new Set(names)];
  for (let i = 0; i < unique.length; i += batchSize) {
    const { users } = await ask(unique.slice(i, i + batchSize));
    found.push(
      ...users.map(({ id, email, username, emailUnproven }) => ({
        id,
        email,
        username,
        isEmailUnproven: emailUnproven === true,
      })),
    );
  }
  return found;
}
