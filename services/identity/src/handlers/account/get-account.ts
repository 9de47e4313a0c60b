import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { callerWithRole } from '../../domain/rights.js';
import { presentAccount } from '../../present.js';

export function getAccount(context: IdentityContext): Handler<typeof AccountServiceService.getAccount> {
  return async (_request, { actor }) => {
    const { user, role } = await callerWithRole(context, requireUser(actor).userId);
    return { user: presentAccount(user, role) };
  };
}
