import type { Jobs } from '@panel/kit/process';
import type { OwnershipServiceService } from '@panel/protos/servers';
import type { Client } from '@panel/rpc';
import type { UserStore } from '../models/user.js';
import type { AuthEpochs } from '../revocation/auth-epochs.js';

interface OwnedRecords {
  removeOfUser(userId: string): Promise<void>;
}

interface PurgeDeps {
  readonly users: Pick<UserStore, 'removeDeleting'>;
  readonly apiKeys: OwnedRecords;
  readonly preferences: OwnedRecords;
  readonly sessions: OwnedRecords;
  readonly sshKeys: OwnedRecords;
  readonly ownership: Client<typeof OwnershipServiceService> | null;
}

interface ResumeDeps extends PurgeDeps {
  readonly users: Pick<UserStore, 'findDeleting' | 'removeDeleting'>;
  readonly epochs: Pick<AuthEpochs, 'bump'>;
  readonly attempt: Jobs['attempt'];
}

const removalMs = 5_000;

/** Completes decided deletions of dead processes. */
export async function resumeDeletions(deps: ResumeDeps): Promise<void> {
  for (const userId of await deps.users.findDeleting()) {
    await deps.attempt('finish-deletions', userId, async () => {
      await deps.epochs.bump(userId);
      await purgeUser(deps, userId);
    });
  }
}

/** Removes data and user after the decision. Idempotent. */
export async function purgeUser(deps: PurgeDeps, userId: string): Promise<void> {
  const { apiKeys, ownership, preferences, sessions, sshKeys, users } = deps;
  // Before the record: a failed purge repeats while the record exists.
  await ownership?.removeUserFromServers({ userId }, { timeoutMs: removalMs });
  await Promise.all([apiKeys, preferences, sessions, sshKeys].map(async (store) => store.removeOfUser(userId)));
  await users.removeDeleting(userId);
}
