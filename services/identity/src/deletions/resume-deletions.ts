import type { Jobs } from '@panel/kit/process';
import type { OwnershipServiceService } from '@panel/protos/servers';
import type { Client } from '@panel/rpc';
import type { UserStore } from '../models/user.js';
import type { AuthEpochs } from '../revocation/auth-epochs.js';

interface OwnedRecords {
  removeOfUser(userId: string): Promise<void>;
}

interface PurgeDependencies {
  readonly users: Pick<UserStore, 'removeDeleting'>;
  readonly apiKeys: OwnedRecords;
  readonly preferences: OwnedRecords;
  readonly sessions: OwnedRecords;
  readonly sshKeys: OwnedRecords;
  readonly ownership: Client<typeof OwnershipServiceService> | null;
}

interface ResumeDependencies extends PurgeDependencies {
  readonly users: Pick<UserStore, 'findDeleting' | 'removeDeleting'>;
  readonly epochs: Pick<AuthEpochs, 'bump'>;
  readonly attempt: Jobs['attempt'];
}

const removalMs = 5_000;

/** Completes decided deletions of dead processes. */
export async function resumeDeletions(dependencies: ResumeDependencies): Promise<void> {
  for (const userId of await dependencies.users.findDeleting()) {
    await dependencies.attempt('finish-deletions', userId, async () => {
      await dependencies.epochs.bump(userId);
      await purgeUser(dependencies, userId);
    });
  }
}

/** Removes data and user after the decision. Idempotent. */
export async function purgeUser(dependencies: PurgeDependencies, userId: string): Promise<void> {
  const { apiKeys, ownership, preferences, sessions, sshKeys, users } = dependencies;
  // Before the record: a failed purge repeats while the record exists.
  await ownership?.removeUserFromServers({ userId }, { timeoutMs: removalMs });
  await Promise.all([apiKeys, preferences, sessions, sshKeys].map(async (store) => store.removeOfUser(userId)));
  await users.removeDeleting(userId);
}
