import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteSshKey as remove } from '../../usecases/ssh-keys/delete-ssh-key.js';

export function deleteSshKey(context: IdentityContext): Handler<typeof AccountServiceService.deleteSshKey> {
  return async ({ sshKeyId }, { actor }) => {
    await remove(context, requireUser(actor), sshKeyId);
    return {};
  };
}
