import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { getPreferences } from '../../usecases/preferences/get-preferences.js';

export function handleGetPreferences(context: IdentityContext): Handler<typeof AccountServiceService.getPreferences> {
  return async (_request, { actor }) => {
    const { userId } = requireUser(actor);
    return { preferencesJson: await getPreferences(context, userId) };
  };
}
