import type { AuthServiceService } from '@panel/protos/identity';
import { type Handler, requireService } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { isHashable } from '../../domain/fields.js';
import { fail } from '../../reasons.js';
import {
  authenticateSftpKey,
  authenticateSftpPassword,
  continueSftp,
  findSftpKey,
  type SftpIdentity,
} from '../../usecases/sessions/authenticate-sftp.js';

export function handleAuthenticateSftp(context: IdentityContext): Handler<typeof AuthServiceService.authenticateSftp> {
  return async ({ username, ip, proof }, { actor, signal }) => {
    requireService(actor);
    const client = { username, ip };
    switch (proof?.$case) {
      case 'password':
        if (!isHashable(proof.value)) throw refused();
        return present(await authenticateSftpPassword(context, client, proof.value, signal));
      case 'publicKey':
        return present(await authenticateSftpKey(context, client, proof.value));
      case 'offeredKey':
        return present(await findSftpKey(context, client, proof.value));
      case 'continued':
        return present(await continueSftp(context, { ...proof.value, sshKeyId: proof.value.sshKeyId || null }));
      default:
        throw refused();
    }
  };
}

function present({ user, role, sshKeyId }: SftpIdentity) {
  return {
    userId: user.id,
    username: user.username,
    permissions: [...role.permissions],
    sessionEpoch: user.sessionEpoch,
    sshKeyId: sshKeyId ?? '',
  };
}

function refused() {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right');
}
