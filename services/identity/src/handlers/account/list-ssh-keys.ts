import { parsePage } from '@panel/kit';
import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentSshKey } from '../../present/ssh-key.js';

const sortable = { created_at: 'createdAt', name: 'name', last_used_at: 'lastUsedAt' };

export function listSshKeys({ sshKeys }: IdentityContext): Handler<typeof AccountServiceService.listSshKeys> {
  return async (request, { actor }) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await sshKeys.list(requireUser(actor).userId, page);
    return { sshKeys: items.map(presentSshKey), page: { page: page.page, perPage: page.perPage, total } };
  };
}
