import type { SettingsServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { presentSettings } from '../../present/settings.js';
import { getSettings } from '../../usecases/settings/get-settings.js';

export function handleGetSettings(context: AdminContext): Handler<SettingsServiceService['getSettings']> {
  return async ({ withLogo = false }, { actor }) => ({
    settings: presentSettings(await getSettings(context, actor), withLogo),
  });
}
