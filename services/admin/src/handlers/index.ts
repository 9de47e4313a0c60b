import { serve, type ServedService } from '@panel/kit';
import { SettingsServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { getSettings } from './get-settings.js';
import { updateSettings } from './update-settings.js';

/** Everything admin answers. */
export function createHandlers(context: AdminContext): ServedService[] {
  return [
    serve(SettingsServiceService, { getSettings: getSettings(context), updateSettings: updateSettings(context) }),
  ];
}
