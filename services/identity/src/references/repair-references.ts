import type { IdentityContext } from '../context.js';
import { userRole } from '../domain/system-roles.js';
import type { OwnedCollection } from '../models/references.js';

type Deps = Pick<
  IdentityContext,
  'references' | 'users' | 'apiKeys' | 'sshKeys' | 'preferences' | 'epochs' | 'clock' | 'log'
>;

const pageSize = 500;
const usersAtOnce = 100;

/**
 * Find references to what is gone, which a process that died between a write and its check leaves behind. Users whose role is
 * gone get the role `user`, which grants nothing; keys and preferences of deleted users are removed, as their deletions would
 * have done.
 */
export async function repairReferences(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const roleId of await deps.references.missingRoles()) await replaceRole(deps, roleId, signal);
  await removeOrphans(deps, 'api_keys', signal);
  await removeOrphans(deps, 'ssh_keys', signal);
  await removeOrphans(deps, 'preferences', signal);
}

async function replaceRole({ users, epochs, clock, log }: Deps, roleId: string, signal: AbortSignal): Promise<void> {
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

async function removeOrphans(deps: Deps, collection: OwnedCollection, signal: AbortSignal): Promise<void> {
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
