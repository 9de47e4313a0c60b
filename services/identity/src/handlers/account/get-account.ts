import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentAccount } from '../../present/user.js';
import { loadCaller } from '../../usecases/authorization/authorization.js';

export function handleGetAccount(context: IdentityContext): Handler<typeof AccountServiceService.getAccount> {
  return async (_request, { actor }) => {
    return { user: presentAccount(await loadCaller(context, requireUser(actor).userId)) };
  };
}
