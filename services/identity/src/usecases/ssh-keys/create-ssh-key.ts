import { createOnce, type UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { SshPublicKey } from '../../domain/ssh-public-key.js';
import { freeSlots } from '../../domain/api-key.js';
import { maxSshKeys, type SshKeyRecord } from '../../domain/ssh-key.js';
import { fail } from '../../reasons.js';

/** Throws SSH_KEY_EXISTS, SSH_KEY_LIMIT, INVALID_TOKEN if the account was deleted meanwhile. */
export async function createSshKey(
  context: IdentityContext,
  owner: UserActor,
  { name, key }: { readonly name: string; readonly key: SshPublicKey },
  idempotencyId: string | undefined,
): Promise<SshKeyRecord> {
  const { algorithm, fingerprint, line: publicKey } = key;
  const { object, isNew } = await createOnce(idempotencyId, {
    find: async (id) => context.sshKeys.findById(id),
    create: async (id) =>
      insertIntoFreeSlot(context, { id, userId: owner.userId, name, algorithm, fingerprint, publicKey }),
  });
  if (isNew) {
    const properties = { name, fingerprint };
    await context.activity.record({ event: 'user:ssh-key.create', userId: owner.userId, properties }, owner);
  }
  return object;
}

async function insertIntoFreeSlot(
  { clock, sshKeys, users }: IdentityContext,
  key: Omit<SshKeyRecord, 'slot' | 'createdAt' | 'lastUsedAt'>,
): Promise<SshKeyRecord> {
  for (;;) {
    const free = freeSlots(await sshKeys.takenSlots(key.userId), maxSshKeys);
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) throw fail('SSH_KEY_LIMIT', `at most ${maxSshKeys} SSH keys a user`, { limit: maxSshKeys });
    const record = { ...key, slot, createdAt: clock(), lastUsedAt: null };
    if (!(await sshKeys.insert(record))) continue;
    // A concurrent deletion of the owner may have missed this key.
    if ((await users.findById(key.userId)) !== null) return record;
    await sshKeys.remove(record.id, key.userId);
    throw fail('INVALID_TOKEN', 'the account does not exist any more');
  }
}
