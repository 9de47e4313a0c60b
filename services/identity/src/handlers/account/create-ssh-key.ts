import { invalidFields } from '@panel/kit/errors';
import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { parseSshPublicKey } from '../../domain/ssh-public-key.js';
import { singleLine } from '../../domain/fields.js';
import { presentSshKey } from '../../present/ssh-key.js';
import { createSshKey } from '../../usecases/ssh-keys/create-ssh-key.js';
import { readFields } from '../read-fields.js';

export function handleCreateSshKey(context: IdentityContext): Handler<typeof AccountServiceService.createSshKey> {
  return async (request, { actor, idempotencyId }) => {
    const owner = requireUser(actor);
    const key = parseSshPublicKey(request.publicKey);
    if (typeof key === 'string') throw invalidFields({ public_key: [key] });
    const { name } = readFields({ name: singleLine(1, 100) }, { name: request.name || key.comment.slice(0, 100) });
    return { sshKey: presentSshKey(await createSshKey(context, owner, { name, key }, idempotencyId)) };
  };
}
