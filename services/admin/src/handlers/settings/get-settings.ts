import { type Handler } from '@panel/rpc';
import type { SettingsServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../../context.js';
import { maskSecrets, openSecrets } from '../../usecases/settings/setting-secrets.js';
import { presentSettings } from '../../present/settings.js';

/** All settings; secrets are opened for services and masked for users. */
export function getSettings({ settings, box }: AdminContext): Handler<SettingsServiceService['getSettings']> {
  return async ({ withLogo = false }, { actor, log }) => {
    const stored = (await settings.read()).settings;
    if (actor.kind !== 'service') return { settings: presentSettings(maskSecrets(stored), withLogo) };
    const opened = openSecrets(stored, box);
    if (opened.lost.length > 0) {
      log.warn(
        { settings: opened.lost },
        'SERVICE_SECRET has changed since these settings were written: set them again',
      );
    }
    return { settings: presentSettings(opened.settings, withLogo) };
  };
}
