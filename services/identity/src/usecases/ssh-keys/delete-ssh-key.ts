import type { UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { recordActivity } from '../../activity/record-activity.js';

/** Remove a key of the caller; connections it opened end within seconds. Throws SSH_KEY_NOT_FOUND. */
export async function deleteSshKey(context: IdentityContext, owner: UserActor, sshKeyId: string): Promise<void> {
  const key = await context.sshKeys.findById(sshKeyId);
  if (key?.userId !== owner.userId || !(await context.sshKeys.remove(sshKeyId, owner.userId)))
    throw fail('SSH_KEY_NOT_FOUND', 'no such SSH key');
  const properties = { name: key.name, fingerprint: key.fingerprint };
  recordActivity(context, { event: 'user:ssh-key.delete', actor: owner, userId: owner.userId, properties });
}
