import type { Client } from '@panel/rpc';
import type { User, UserServiceService } from '@panel/protos/identity';

/** The public part of a user. */
export interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  /** The address is unverified. */
  readonly isEmailUnproven: boolean;
}

/** Client of identity; throws its errors. */
export interface UserDirectory {
  findByEmail(email: string): Promise<KnownUser | null>;
  /** Existing ones, by address. */
  byEmails(emails: readonly string[]): Promise<Map<string, KnownUser>>;
  /** Existing ones, by id. */
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
