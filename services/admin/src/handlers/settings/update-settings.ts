import { Settings as SettingsMessage, type SettingsServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { checkChanges } from '../../domain/setting-changes.js';
import { presentSettings } from '../../present/settings.js';
import { updateSettings } from '../../usecases/settings/update-settings.js';
import { readSettings } from './read-settings.js';

/** The response hides secrets from every caller. */
export function handleUpdateSettings(context: AdminContext): Handler<SettingsServiceService['updateSettings']> {
  return async (request, { actor }) => {
    const changes = checkChanges(readSettings(request.settings ?? SettingsMessage.create()));
    return { settings: presentSettings(await updateSettings(context, actor, changes)) };
  };
}
