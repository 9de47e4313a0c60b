import type { UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Its connections end within seconds. Throws SSH_KEY_NOT_FOUND. */
export async function deleteSshKey(context: IdentityContext, owner: UserActor, sshKeyId: string): Promise<void> {
  const key = await context.sshKeys.findById(sshKeyId);
  if (key?.userId !== owner.userId || !(await context.sshKeys.remove(sshKeyId, owner.userId)))
    throw fail('SSH_KEY_NOT_FOUND', 'no such SSH key');
  const properties = { name: key.name, fingerprint: key.fingerprint };
  await context.activity.record({ event: 'user:ssh-key.delete', userId: owner.userId, properties }, owner);
}
