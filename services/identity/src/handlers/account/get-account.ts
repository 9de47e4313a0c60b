import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentAccount } from '../../present/user.js';
import { loadCaller } from '../../usecases/authorization/authorization.js';

export function getAccount(context: IdentityContext): Handler<typeof AccountServiceService.getAccount> {
  return async (_request, { actor }) => {
    const { user, role } = await loadCaller(context, requireUser(actor).userId);
    return { user: presentAccount(user, role) };
  };
}
