import { invalidFields } from '@panel/kit/errors';
import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { parseSshPublicKey } from '../../crypto/ssh-public-key.js';
import { parseFields, singleLine } from '../../domain/fields.js';
import { presentSshKey } from '../../present/ssh-key.js';
import { createSshKey as create } from '../../usecases/ssh-keys/create-ssh-key.js';

export function createSshKey(context: IdentityContext): Handler<typeof AccountServiceService.createSshKey> {
  return async (request, { actor, idempotencyId }) => {
    const owner = requireUser(actor);
    const key = parseSshPublicKey(request.publicKey);
    if (typeof key === 'string') throw invalidFields({ public_key: [key] });
    const { name } = parseFields({ name: singleLine(1, 100) }, { name: request.name || key.comment.slice(0, 100) });
    return { sshKey: presentSshKey(await create(context, owner, { name, key }, idempotencyId)) };
  };
}
