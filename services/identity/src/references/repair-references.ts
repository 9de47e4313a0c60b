import type { Logger } from '@panel/kit/process';
import { userRole } from '../domain/system-roles.js';
import type { OwnedCollection, ReferenceStore } from '../models/references.js';
import type { UserStore } from '../models/user.js';
import type { AuthEpochs } from '../revocation/auth-epochs.js';

interface OwnedRecords {
  removeOfUser(userId: string): Promise<void>;
}

interface RepairDeps {
  readonly references: ReferenceStore;
  readonly users: Pick<UserStore, 'findByRole' | 'update'>;
  readonly apiKeys: OwnedRecords;
  readonly sshKeys: OwnedRecords;
  readonly preferences: OwnedRecords;
  readonly epochs: Pick<AuthEpochs, 'bump'>;
  readonly clock: () => Date;
  readonly log: Logger;
}

const pageSize = 500;
const usersAtOnce = 100;

/**
 * Repairs what a crash between write and check leaves: users without a role get `user`, which grants nothing; keys and
 * preferences of deleted users are removed.
 */
export async function repairReferences(deps: RepairDeps, signal: AbortSignal): Promise<void> {
  for (const roleId of await deps.references.missingRoles()) await replaceRole(deps, roleId, signal);
  await removeOrphans(deps, 'api_keys', signal);
  await removeOrphans(deps, 'ssh_keys', signal);
  await removeOrphans(deps, 'preferences', signal);
}

async function replaceRole(
  { users, epochs, clock, log }: RepairDeps,
  roleId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const some = await users.findByRole(roleId, usersAtOnce);
    for (const { id } of some) {
      const updated = await users.update(id, { roleId }, { roleId: userRole.id }, clock());
      if (!updated) continue;
      await epochs.bump(id);
      log.warn({ userId: id, roleId }, 'a user had a role that is gone and has the role "user" now');
    }
    if (some.length < usersAtOnce) return;
  }
}

async function removeOrphans(deps: RepairDeps, collection: OwnedCollection, signal: AbortSignal): Promise<void> {
  const { references, apiKeys, sshKeys, preferences, log } = deps;
  const stores = { api_keys: apiKeys, ssh_keys: sshKeys, preferences };
  for (let after = ''; !signal.aborted;) {
    const userIds = await references.userIdsIn(collection, after, pageSize);
    for (const userId of await references.missingUsers(userIds)) {
      await stores[collection].removeOfUser(userId);
      log.warn({ userId, collection }, 'what a deleted user left behind was removed');
    }
    after = userIds.length < pageSize ? '' : (userIds.at(-1) ?? '');
    if (after === '') return;
  }
}
