import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';

export function getPreferences({ preferences }: IdentityContext): Handler<typeof AccountServiceService.getPreferences> {
  return async (_request, { actor }) => {
    const { userId } = requireUser(actor);
    return { preferencesJson: (await preferences.read(userId)) ?? '{}' };
  };
}
