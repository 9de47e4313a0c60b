import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { deleteSshKey } from '../../usecases/ssh-keys/delete-ssh-key.js';

export function handleDeleteSshKey(context: IdentityContext): Handler<typeof AccountServiceService.deleteSshKey> {
  return async ({ sshKeyId }, { actor }) => {
    await deleteSshKey(context, requireUser(actor), sshKeyId);
    return {};
  };
}
