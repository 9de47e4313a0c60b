import { parsePage } from '@panel/kit';
import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentApiKey } from '../../present/api-key.js';

const sortable = { created_at: 'createdAt', description: 'description', last_used_at: 'lastUsedAt' };

export function listApiKeys({ apiKeys }: IdentityContext): Handler<typeof AccountServiceService.listApiKeys> {
  return async (request, { actor }) => {
    const page = parsePage(request.page, sortable);
    const { items, total } = await apiKeys.list(requireUser(actor).userId, page);
    return { apiKeys: items.map(presentApiKey), page: { page: page.page, perPage: page.perPage, total } };
  };
}
