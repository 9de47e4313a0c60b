import { invalidFields } from '@panel/kit/errors';
import type { AccountServiceService } from '@panel/protos/identity';
import { type Handler, requireUser } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { parsePreferences } from '../../domain/preferences.js';
import { updatePreferences } from '../../usecases/preferences/update-preferences.js';

export function handleUpdatePreferences(
  context: IdentityContext,
): Handler<typeof AccountServiceService.updatePreferences> {
  return async (request, { actor }) => {
    const { userId } = requireUser(actor);
    const parsed = parsePreferences(request.preferencesJson);
    if (typeof parsed === 'string') throw invalidFields({ preferences: [parsed] });
    await updatePreferences(context, userId, parsed.json);
    return { preferencesJson: parsed.json };
  };
}
