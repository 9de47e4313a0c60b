import { Settings as SettingsMessage, type SettingsServiceService } from '@panel/protos/admin';
import { type Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { checkChanges } from '../../domain/setting-changes.js';
import { parseSettings, presentSettings } from '../../present/settings.js';
import { maskSecrets } from '../../usecases/settings/setting-secrets.js';
import { updateSettings as update } from '../../usecases/settings/update-settings.js';

/** Change the settings that are given. The answer shows secrets to no caller. */
export function updateSettings(context: AdminContext): Handler<SettingsServiceService['updateSettings']> {
  return async (request, { actor }) => {
    const changes = checkChanges(parseSettings(request.settings ?? SettingsMessage.create()));
    return { settings: presentSettings(maskSecrets(await update(context, actor, changes))) };
  };
}
