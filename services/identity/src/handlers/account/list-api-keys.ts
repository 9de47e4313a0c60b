import { parsePage } from '@panel/kit/mongo';
import { ApiKey, type AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser, presentEach } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentApiKey } from '../../present/api-key.js';
import { listApiKeys } from '../../usecases/api-keys/list-api-keys.js';

const sortable = { created_at: 'createdAt', description: 'description', last_used_at: 'lastUsedAt' };

export function handleListApiKeys(context: IdentityContext): Handler<typeof AccountServiceService.listApiKeys> {
  return async (request, call) => {
    const { actor } = call;
    const page = parsePage(request.page, sortable);
    const { items, total } = await listApiKeys(context, requireUser(actor).userId, page);
    return {
      apiKeys: presentEach(call, items, presentApiKey, ApiKey),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
