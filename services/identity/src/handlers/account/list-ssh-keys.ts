import { parsePage } from '@panel/kit/mongo';
import { SshKey, type AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSshKey } from '../../present/ssh-key.js';
import { listSshKeys } from '../../usecases/ssh-keys/list-ssh-keys.js';

const sortable = { created_at: 'createdAt', name: 'name', last_used_at: 'lastUsedAt' };

export function handleListSshKeys(context: IdentityContext): Handler<typeof AccountServiceService.listSshKeys> {
  return async (request, call) => {
    const { actor } = call;
    const page = parsePage(request.page, sortable);
    const { items, total } = await listSshKeys(context, requireUser(actor).userId, page);
    return {
      sshKeys: presentEach(call, items, presentSshKey, SshKey),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
