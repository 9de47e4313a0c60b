import { SettingsServiceService } from '@panel/protos/admin';
import { serve, type ServedService } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { handleGetSettings } from './get-settings.js';
import { handleUpdateSettings } from './update-settings.js';

export function createSettingsService(context: AdminContext): ServedService {
  return serve(SettingsServiceService, {
    getSettings: handleGetSettings(context),
    updateSettings: handleUpdateSettings(context),
  });
}
